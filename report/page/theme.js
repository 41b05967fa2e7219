// Runs in the head, so that no page flashes up in the wrong colours. What was chosen is remembered
// where there is storage: some browsers have none for files.
"use strict";
const theme = {
  dark: matchMedia("(prefers-color-scheme: dark)"),
  stored() {
    try {
      const word = localStorage.getItem("ulpfuzz-theme");
      return word === "light" || word === "dark" ? word : "auto";
    } catch {
      return "auto";
    }
  },
  store(word) {
    try {
      if (word === "auto") localStorage.removeItem("ulpfuzz-theme");
      else localStorage.setItem("ulpfuzz-theme", word);
    } catch {
      // The page has it until it is closed.
    }
  },
  apply(word) {
    const system = theme.dark.matches ? "dark" : "light";
    document.documentElement.dataset.theme = word === "auto" ? system : word;
    document.dispatchEvent(new Event("theme"));
  },
};
theme.now = theme.stored();
theme.apply(theme.now);
theme.dark.addEventListener("change", () => { if (theme.now === "auto") theme.apply("auto"); });
document.documentElement.classList.add("js");
