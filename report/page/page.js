// What a page does beside showing: theme, tabs, copying, sorting. Each part is made here, so that a
// page without scripts has no button that does nothing.
"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const make = (tag, properties = {}, text = "") => {
    const element = Object.assign(document.createElement(tag), properties);
    if (text) element.textContent = text;
    return element;
  };

  function themeButton() {
    const button = document.getElementById("theme");
    const order = ["auto", "light", "dark"];
    const show = () => {
      button.querySelector(".label").textContent = `Theme: ${theme.now}`;
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      theme.now = order[(order.indexOf(theme.now) + 1) % order.length];
      theme.store(theme.now);
      theme.apply(theme.now);
      show();
    });
    show();
  }

  // The clipboard of a page that is a file: some browsers call it insecure and have no
  // navigator.clipboard there, others have it and refuse.
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = make("textarea", {value: text, readOnly: true, className: "offscreen"});
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  function copyButtons() {
    for (const box of all(".code")) {
      const button = make("button", {type: "button", className: "copy"}, "Copy");
      const what = box.dataset.name || "text";
      button.setAttribute("aria-label", `Copy ${what}`);
      button.addEventListener("click", async () => {
        const done = await copy(box.querySelector("pre").textContent);
        button.textContent = done ? "Copied" : "Select and copy by hand";
        document.getElementById("said").textContent = done ? `${what} copied` : "";
        button.focus();
        setTimeout(() => { button.textContent = "Copy"; }, 2000);
      });
      box.prepend(button);
    }
  }

  function choose(tabs, chosen, focus) {
    for (const tab of tabs) {
      const on = tab === chosen;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !on;
    }
    if (focus) chosen.focus();
  }

  function tabs() {
    for (const group of all(".tabs")) {
      const panels = all(":scope > .panel", group);
      if (panels.length < 2) continue;
      const list = make("div", {className: "tablist"});
      list.setAttribute("role", "tablist");
      list.setAttribute("aria-label", group.dataset.name);
      const buttons = panels.map((panel) => {
        const heading = panel.querySelector(".panel-name");
        const button = make("button", {type: "button", id: `${panel.id}-tab`}, heading.textContent);
        button.setAttribute("role", "tab");
        button.setAttribute("aria-controls", panel.id);
        panel.setAttribute("role", "tabpanel");
        panel.setAttribute("aria-labelledby", button.id);
        heading.hidden = true;
        return button;
      });
      const keys = {ArrowRight: 1, ArrowLeft: -1};
      list.addEventListener("click", (event) => {
        if (buttons.includes(event.target)) choose(buttons, event.target, false);
      });
      list.addEventListener("keydown", (event) => {
        const at = buttons.indexOf(document.activeElement);
        if (at < 0) return;
        let to = -1;
        if (event.key in keys) to = (at + keys[event.key] + buttons.length) % buttons.length;
        else if (event.key === "Home") to = 0;
        else if (event.key === "End") to = buttons.length - 1;
        if (to < 0) return;
        event.preventDefault();
        choose(buttons, buttons[to], true);
      });
      list.append(...buttons);
      group.prepend(list);
      choose(buttons, buttons[0], false);
    }
  }

  // Numbers before words, by what the cell says it is worth, where it says so.
  const worth = (row, column) => {
    const cell = row.cells[column];
    const value = cell.dataset.v ?? cell.textContent.trim();
    return value !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b);
  };

  // What a narrow page shows before a number, where no heading stands above it.
  function labels() {
    for (const table of all("table.stack")) {
      const heads = all("thead th", table).map((head) => head.textContent);
      for (const row of table.tBodies[0].rows)
        Array.from(row.cells).forEach((cell, i) => { cell.dataset.label = heads[i]; });
    }
  }

  function sorting() {
    for (const table of all("table.sortable")) {
      const heads = all("thead th", table);
      heads.forEach((head, column) => {
        const button = make("button", {type: "button", className: "sort"}, head.textContent);
        head.replaceChildren(button);
        button.addEventListener("click", () => {
          const first = head.classList.contains("n") ? "descending" : "ascending";
          const other = first === "ascending" ? "descending" : "ascending";
          const to = head.getAttribute("aria-sort") === first ? other : first;
          heads.forEach((h) => h.removeAttribute("aria-sort"));
          head.setAttribute("aria-sort", to);
          const sign = to === "ascending" ? 1 : -1;
          const rows = Array.from(table.tBodies[0].rows);
          rows.sort((a, b) => sign * compare(worth(a, column), worth(b, column)));
          table.tBodies[0].append(...rows);
        });
      });
    }
  }

  // A link into a closed part opens it.
  function openTarget() {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    if (target && target.tagName === "ARTICLE") target.focus({preventScroll: true});
  }

  document.body.append(make("p", {id: "said", className: "offscreen", role: "status"}));
  themeButton();
  tabs();
  copyButtons();
  labels();
  sorting();
  openTarget();
  addEventListener("hashchange", openTarget);
  addEventListener("beforeprint", () => {
    all("details").forEach((d) => { d.open = true; });
    theme.apply("light");
  });
  addEventListener("afterprint", () => theme.apply(theme.now));
})();
