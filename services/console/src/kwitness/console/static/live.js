/* Rows are read again while a page is open: scroll and focus stay where they are, and new problems are announced. */
(() => {
  "use strict";
  const status = document.getElementById("status");
  let kept = null;
  let problems = "";

  const live = () => document.getElementById("live");
  const problemsShown = () => [...live()?.querySelectorAll(".note.bad strong") ?? []].map((note) => note.textContent).join(" ");
  const likeIt = (element) => [...live().querySelectorAll(element.localName)].filter(
    (other) => other.getAttribute("href") === element.getAttribute("href") && other.ariaLabel === element.ariaLabel,
  );

  document.addEventListener("htmx:beforeRequest", (event) => {
    const selected = document.getSelection();
    if (event.target === live() && selected && !selected.isCollapsed && live().contains(selected.anchorNode)) {
      event.preventDefault();
    }
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target !== live()) return;
    const focused = live().contains(document.activeElement) ? document.activeElement : null;
    kept = {
      scrolled: [...live().querySelectorAll(".scroll")].map((table) => [table.ariaLabel, table.scrollLeft, table.scrollTop]),
      focused,
      place: focused ? likeIt(focused).indexOf(focused) : -1,
    };
  });

  document.addEventListener("htmx:afterSwap", () => {
    if (!kept || !live()) return;
    for (const [label, left, top] of kept.scrolled) {
      const table = [...live().querySelectorAll(".scroll")].find((other) => other.ariaLabel === label);
      table?.scrollTo({ left, top, behavior: "instant" });
    }
    if (kept.focused && !live().contains(document.activeElement)) {
      likeIt(kept.focused)[kept.place]?.focus({ preventScroll: true });
    }
    kept = null;
    const shown = problemsShown();
    if (shown !== problems) status.textContent = shown;
    problems = shown;
  });

  problems = problemsShown();
})();
