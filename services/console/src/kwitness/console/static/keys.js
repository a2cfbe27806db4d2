/* Keys for what pages have as links, fields and buttons. A preference, which is a cookie, switches them off. */
(() => {
  "use strict";
  const SEQUENCE_MS = 1500;
  const SHOWN_MS = 4000;
  const status = document.getElementById("status");
  const dialog = document.getElementById("keys");

  const say = (text) => {
    status.textContent = text;
    setTimeout(() => { if (status.textContent === text) status.textContent = ""; }, SHOWN_MS);
  };

  const copy = async (line) => {
    try {
      await navigator.clipboard.writeText(line.textContent);
      say(`Copied: ${line.textContent}`);
    } catch {
      line.closest("details").open = true;
      document.getSelection().selectAllChildren(line);
      say("This browser lets no page copy: the line is selected");
    }
  };

  for (const line of document.querySelectorAll(".elsewhere pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.ariaLabel = `Copy: ${line.ariaLabel}`;
    button.addEventListener("click", () => copy(line));
    line.after(button);
  }

  if (!dialog) return;
  const list = document.getElementById("list-keys");
  list.hidden = false;
  list.addEventListener("click", () => dialog.showModal());

  const rows = () => [...document.querySelectorAll("#live tbody tr")];
  const step = (by) => {
    const all = rows();
    const at = all.findIndex((row) => row.contains(document.activeElement));
    const row = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
    if (!row) return;
    const target = row.querySelector("th a, a") ?? row;
    if (target === row) row.tabIndex = -1;
    target.focus();
    row.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const go = (letter) => document.querySelector(`#keys [data-go="${letter}"]`)?.click();
  const search = () => {
    const field = document.querySelector("input[type=search]");
    field?.focus();
    field?.select();
  };
  const ACTIONS = {
    "/": search,
    "?": () => (dialog.open ? dialog.close() : dialog.showModal()),
    j: () => step(1),
    k: () => step(-1),
    y: () => { const line = document.querySelector(".elsewhere pre"); if (line) copy(line); },
  };

  let began = -SEQUENCE_MS;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    if (event.target.closest?.("input, select, textarea, [contenteditable]")) return;
    if (dialog.open && event.key !== "?") return;
    const isSecond = event.timeStamp - began < SEQUENCE_MS;
    began = event.key === "g" && !isSecond ? event.timeStamp : -SEQUENCE_MS;
    if (began > 0) return;
    if (isSecond && /^[a-z]$/.test(event.key)) {
      go(event.key);
    } else if (Object.hasOwn(ACTIONS, event.key)) {
      ACTIONS[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });
})();
