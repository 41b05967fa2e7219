// Draws what the data element holds. Words and tables beside each chart say the same.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const drawn = new Map();
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const superscript = (text) => text.replace(/\^(-?\d+)/g,
      (_, n) => n.replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]));
  const short = new Intl.NumberFormat("en", {notation: "compact", maximumFractionDigits: 1});
  const exact = new Intl.NumberFormat("en", {maximumFractionDigits: 0});
  const share = (v) => (v === "inf" ? "∞" : v >= 1e5 || (v > 0 && v < 1e-3) ? v.toExponential(1)
                                          : String(Number(v.toPrecision(3))));
  const clock = (s) => (s < 120 ? `${Math.round(s)} s` : s < 3600 ? `${Math.round(s / 60)} min`
                                                                  : `${+(s / 3600).toFixed(2)} h`);

  // What no axis has room for is drawn at the top; the tooltip has the number.
  const top = 1024;
  const drawable = (v) => (v === null ? null : v === "inf" || v > top ? top : v <= 0 ? null : v);

  const bound = {
    id: "bound",
    afterDatasetsDraw(chart, _, options) {
      const y = chart.scales.y.getPixelForValue(1);
      const {left, right, top: above, bottom} = chart.chartArea;
      if (!options.on || y < above || y > bottom) return;
      const ctx = chart.ctx;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = style("fail");
      ctx.setLineDash([5, 4]);
      ctx.beginPath();
      ctx.moveTo(left, y);
      ctx.lineTo(right, y);
      ctx.stroke();
      ctx.font = Chart.helpers.toFont({size: 11}).string;
      const base = y - 15 < above ? y + 13 : y - 5;  // below the line where above it is the legend
      ctx.fillStyle = style("card");
      ctx.fillRect(left + 2, base - 10, ctx.measureText("bound").width + 6, 12);
      ctx.fillStyle = style("fail");
      ctx.fillText("bound", left + 5, base);
      ctx.restore();
    },
  };
  const bands = {
    id: "bands",
    beforeDatasetsDraw(chart, _, options) {
      const {left, right, top: above, bottom} = chart.chartArea;
      const ctx = chart.ctx;
      ctx.save();
      ctx.font = Chart.helpers.toFont({size: 11}).string;
      (options.phases || []).forEach((phase, i) => {
        const from = Math.max(left, chart.scales.x.getPixelForValue(phase.from));
        const to = Math.min(right, chart.scales.x.getPixelForValue(phase.to));
        ctx.fillStyle = style("inset");
        if (i % 2 === 0) ctx.fillRect(from, above, to - from, bottom - above);
        ctx.fillStyle = style("muted");
        if (ctx.measureText(phase.name).width < to - from - 8) ctx.fillText(phase.name, from + 5, above + 14);
      });
      ctx.restore();
    },
  };

  function common() {
    const grid = {color: style("grid"), borderColor: style("strong-line"), drawTicks: false};
    const ticks = {color: style("muted"), padding: 6, font: {size: 11}, maxRotation: 0, autoSkipPadding: 14};
    return {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      interaction: {mode: "index", intersect: false},
      scales: {
        x: {grid: {...grid, display: false, drawBorder: true}, ticks: {...ticks}},
        y: {grid: {...grid, drawBorder: false}, ticks: {...ticks, maxTicksLimit: 6}, beginAtZero: true},
      },
      plugins: {
        legend: {display: false, labels: {color: style("text"), boxWidth: 14, boxHeight: 8, font: {size: 12}},
                 align: "start"},
        tooltip: {backgroundColor: style("text"), titleColor: style("card"), bodyColor: style("card"),
                  cornerRadius: 6, padding: 8, boxPadding: 4, displayColors: false},
      },
    };
  }
  function logarithmic(axis, most) {
    Object.assign(axis, {type: "logarithmic", beginAtZero: false, max: most});
    axis.ticks.callback = (v) => (Math.abs(Math.log10(v) % 1) < 1e-9 ? superscript(v >= 1e-2 && v <= 1e3 ? String(v) : `10^${Math.round(Math.log10(v))}`) : "");
    axis.ticks.maxTicksLimit = 9;
  }
  // Whole steps of time, as many as there is room for.
  function timeAxis(axis) {
    const end = data.time.seconds[data.time.seconds.length - 1];
    const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400];
    const step = steps.find((n) => end / n <= 8) || end / 8;
    Object.assign(axis, {type: "linear", min: 0, max: Math.ceil(end / step) * step});
    axis.ticks.stepSize = step;
    axis.ticks.callback = clock;
  }
  // A line through neighbours; what stands alone is a dot.
  const alone = (values) => values.map((v, i) => (v !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? 2.5 : 0));
  const line = (label, values, colour, more = {}) => ({
    label, data: values, borderColor: colour, backgroundColor: colour, borderWidth: 1.8, pointRadius: values.length > 60 ? 0 : 2,
    pointHoverRadius: 4, tension: 0, spanGaps: false, ...more,
  });

  const makers = {
    "shares-chart"() {
      const property = document.getElementById("shares-property").value;
      const subject = document.getElementById("shares-subject").value;
      const counts = data.bins.map(() => 0);
      for (const pair of data.pairs)
        if ((!property || pair.property === property) && (!subject || pair.subject === subject))
          pair.bins.forEach((n, i) => { counts[i] += n; });
      const used = counts.map((n, i) => (n > 0 ? i : -1)).filter((i) => i >= 1);
      const from = used.length ? Math.min(...used) : 1;
      const to = used.length ? Math.max(...used, data.bins.indexOf("2^-1 .. 2^0")) : 1;
      const shown = [0, ...data.bins.keys()].filter((i, at) => at === 0 || (i >= from && i <= to));
      const beyond = data.bins.indexOf("2^0 .. 2^1");
      const options = common();
      logarithmic(options.scales.y);
      options.scales.y.min = 0.8;
      options.scales.y.ticks.callback = (v) => (Math.abs(Math.log10(v) % 1) < 1e-9 ? short.format(v) : "");
      options.scales.y.title = {display: true, text: "cases", color: style("muted")};
      options.scales.x.title = {display: true, text: "difference as a share of its bound", color: style("muted")};
      options.plugins.tooltip.callbacks = {
        title: (items) => `share ${superscript(data.bins[shown[items[0].dataIndex]])}`,
        label: (item) => `${exact.format(item.raw)} cases`,
      };
      return {
        type: "bar",
        data: {
          labels: shown.map((i) => superscript(data.bins[i].split(" ..")[0])),
          datasets: [{data: shown.map((i) => counts[i]), categoryPercentage: 0.94, barPercentage: 1, borderRadius: 2,
                      backgroundColor: shown.map((i) => style(i >= beyond ? "fail" : i === 0 ? "h4" : "accent"))}],
        },
        options,
      };
    },
    "time-chart"() {
      const tiers = data.time.shares[document.getElementById("time-property").value] || {};
      const looks = {bit_equal: ["known", [2, 3]], exact: ["fixed", [8, 3]], sound: ["accent", []],
                     probabilistic: ["new", [5, 3]], class_only: ["flaky", [2, 2]], none: ["known", [1, 3]]};
      const options = common();
      timeAxis(options.scales.x);
      logarithmic(options.scales.y);
      options.plugins.legend.display = true;
      options.plugins.legend.labels.usePointStyle = true;
      options.plugins.legend.labels.pointStyle = "line";
      options.plugins.bound = {on: true};
      options.plugins.tooltip.callbacks = {
        title: (items) => `after ${clock(items[0].parsed.x)}`,
        label: (item) => `${item.dataset.label}: ${share(tiers[item.dataset.label][item.dataIndex])}`,
      };
      const points = (values) => values.map((v, i) => ({x: data.time.seconds[i], y: drawable(v)}));
      return {
        type: "line",
        data: {datasets: Object.keys(tiers).map((tier) => line(tier, points(tiers[tier]), style((looks[tier] || ["accent"])[0]),
                         {borderDash: (looks[tier] || [])[1] || [], pointRadius: alone(tiers[tier].map(drawable))}))},
        options,
        plugins: [bound],
      };
    },
    "rate-chart"() {
      const options = common();
      timeAxis(options.scales.x);
      options.scales.y.ticks.callback = (v) => short.format(v);
      options.plugins.bands = {phases: data.time.phases};
      options.plugins.tooltip.callbacks = {
        title: (items) => `after ${clock(items[0].parsed.x)}`,
        label: (item) => `${exact.format(item.parsed.y)} cases/s`,
      };
      // Each rate is of a stretch of time; no line joins it with one that does not follow at once.
      const {from, seconds} = data.time;
      const values = data.time.rate.flatMap((y, i) => [...(from[i] > seconds[i - 1] ? [{x: from[i], y: null}] : []),
                                                       {x: from[i], y}, {x: seconds[i], y}]);
      return {type: "line", data: {datasets: [line("cases/s", values, style("accent"))]}, options, plugins: [bands]};
    },
    "trend-buckets"() {
      const options = common();
      options.scales.x.stacked = options.scales.y.stacked = true;
      options.scales.y.ticks.precision = 0;
      options.plugins.legend.display = true;
      options.plugins.tooltip.displayColors = true;
      options.plugins.tooltip.filter = (item) => item.raw > 0;
      const states = ["returned", "new", "open", "known", "flaky", "fixed"];
      return {
        type: "bar",
        data: {labels: nights(), datasets: states.map((state) => ({label: state, data: data.trend.buckets[state], backgroundColor: style(state),
                                                              categoryPercentage: 0.9, barPercentage: 1}))},
        options,
      };
    },
    "trend-rate": () => overNights(data.trend.rate, "accent", (v) => `${exact.format(v)} cases/s`, (options) => {
      options.scales.y.ticks.callback = (v) => short.format(v);
    }),
    "trend-share": () => overNights(data.trend.share, "accent", share, (options) => {
      logarithmic(options.scales.y);
      options.plugins.bound = {on: true};
    }, drawable),
    "trend-stable": () => overNights(data.trend.stability, "accent", (v) => `${(100 * v).toFixed(1)} %`, (options) => {
      options.scales.y.max = 1;
      options.scales.y.beginAtZero = false;
      options.scales.y.suggestedMin = 0.9;
      options.scales.y.ticks.callback = (v) => `${+(100 * v).toFixed(1)} %`;
    }),
  };
  const nights = () => data.trend.dates.map((d, i) => (d ? d.slice(0, 10) : data.trend.nights[i]));
  function overNights(values, colour, words, change, drawnAs = (v) => v) {
    const options = common();
    options.plugins.tooltip.callbacks = {label: (item) => words(values[item.dataIndex])};
    change(options);
    return {type: "line", data: {labels: nights(), datasets: [line("", values.map(drawnAs), style(colour))]}, options, plugins: [bound]};
  }

  function draw(id) {
    const canvas = document.getElementById(id);
    if (!canvas) return;
    if (drawn.has(id)) drawn.get(id).destroy();
    drawn.set(id, new Chart(canvas, makers[id]()));
  }
  const drawAll = () => Object.keys(makers).forEach(draw);

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  document.querySelectorAll(".plot, .choice").forEach((e) => { e.hidden = false; });
  for (const [id, chart] of [["shares-property", "shares-chart"], ["shares-subject", "shares-chart"], ["time-property", "time-chart"]])
    document.getElementById(id)?.addEventListener("change", () => draw(chart));
  document.addEventListener("theme", drawAll);
  drawAll();
})();
