/* Draws the numbers of tables as charts; without this script the tables have them. The legend has those under the pointer, or the last ones. */
(() => {
  "use strict";
  const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
  const HEIGHT = 170;

  const colour = (figure, name) => {
    const probe = document.createElement("span");
    probe.className = name;
    figure.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };

  const draw = (figure) => {
    const rows = [...figure.querySelectorAll("tbody tr")];
    const lines = [...figure.querySelectorAll(".lines > li")];
    if (!rows.length || !lines.length || !window.uPlot) return;
    figure.dataset.drawn = "yes";
    const times = rows.map((row) => Number(row.dataset.s));
    const values = lines.map((_, place) => rows.map((row) => {
      const text = row.querySelectorAll("td")[place].dataset.value;
      return text === undefined ? null : Number(text);
    }));
    const place = document.createElement("div");
    place.className = "plot";
    place.setAttribute("aria-hidden", "true");
    figure.querySelector(".lines").before(place);
    const soft = colour(figure, "axis-text");
    const grid = { stroke: colour(figure, "axis-line"), width: 1 };
    const show = (at) => {
      figure.querySelector(".at").textContent = rows[at].querySelector("th").textContent;
      const cells = rows[at].querySelectorAll("td");
      lines.forEach((line, number) => { line.querySelector(".value").textContent = cells[number].textContent; });
    };
    const plot = new window.uPlot({
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false },
      hooks: { setCursor: [(drawn) => show(drawn.cursor.idx ?? rows.length - 1)] },
      tzDate: (seconds) => window.uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      scales: { y: { range: (_, least, most) => [Math.min(0, least), most > 0 ? most * 1.1 : 1] } },
      axes: [
        { stroke: soft, grid, ticks: grid },
        { stroke: soft, grid, ticks: grid, size: 62, values: (_, ticks) => ticks.map((tick) => Intl.NumberFormat("en", { notation: "compact" }).format(tick)) },
      ],
      series: [{}, ...lines.map((line, number) => ({
        stroke: getComputedStyle(line.querySelector(".swatch")).color,
        dash: DASHES[number % DASHES.length],
        width: 1.5,
        points: { show: false },
      }))],
    }, [times, ...values], place);
    new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT })).observe(place);
  };

  const drawAll = () => document.querySelectorAll("figure.chart:not([data-drawn])").forEach(draw);
  document.addEventListener("htmx:afterSettle", drawAll);
  drawAll();
})();
