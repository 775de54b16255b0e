// What answers look like. Every text is set as text, never as markup.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function text(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return value.toLocaleString("en").replace("-", "−");
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(2).replace("-", "−");
  return value.toLocaleString("en", { maximumSignificantDigits: 4 }).replace("-", "−");
}

export function percent(share) {
  if (share > 0 && share < 0.001) return "<0.1 %";
  if (share < 1 && share > 0.999) return ">99.9 %";
  return `${(100 * share).toFixed(share > 0.0995 && share < 0.9 ? 0 : 1).replace(/\.0$/, "")} %`;
}

function bar(share) {
  const box = { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" };
  return drawn("svg", box, drawn("rect", { width: 100 * share, height: 8 }));
}

function effectBar(change, largest) {
  const length = (50 * Math.abs(change)) / (largest || 1);
  const x = change < 0 ? 50 - length : 50;
  return drawn(
    "svg",
    { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true", class: "effect" },
    drawn("rect", { x, width: length, height: 8, class: change < 0 ? "against" : "for" }),
    drawn("line", { x1: 50, x2: 50, y1: 0, y2: 8 }),
  );
}

let tables = 0;

function table(caption, heads, rows) {
  const id = `table-${(tables += 1)}`;
  const head = heads.map((name) => element("th", { scope: "col", class: name.startsWith("#") ? "n" : "" }, name.replace(/^#/, "")));
  const body = rows.map((cells) => {
    const made = element("tr");
    cells.forEach((cell, place) => {
      const attributes = place === 0 ? { scope: "row" } : { class: heads[place].startsWith("#") ? "n" : "" };
      made.append(element(place === 0 ? "th" : "td", attributes, cell));
    });
    return made;
  });
  return element(
    "figure", { class: "table" },
    element("figcaption", { id }, caption),
    element("div", { class: "scroll", role: "group", tabindex: "0", "aria-labelledby": id },
      element("table", { "aria-labelledby": id },
        element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body))),
  );
}

const unusualWords = [[6, "very unusual"], [3, "unusual"], [1.65, "somewhat unusual"], [-Infinity, "ordinary"]];

export function howUnusual(score) {
  if (score === null || score === undefined) return "nothing is observed";
  return unusualWords.find(([least]) => score >= least)[1];
}

const setText = (of) => of.set.map(text).join(" or ");

// The answers to several rows, each with a button that shows one of them.
export function overview(answers, targets, show) {
  const heads = ["Row"];
  for (const name of targets) heads.push(name, "#Probability", "Possible at 90 %");
  heads.push("#Missing");
  const rows = answers.completed.map((row, place) => {
    const button = element("button", { type: "button", class: "row", "aria-pressed": "false" }, `Row ${place + 1}`);
    button.addEventListener("click", () => show(place));
    const cells = [button];
    for (const name of targets) {
      const found = row.targets[name];
      cells.push(text(found.value), percent(found.probabilities[String(found.value)] ?? Math.max(...Object.values(found.probabilities))));
      cells.push(answers.sets ? setText(answers.sets[place][name]) : "–");
    }
    cells.push(text(row.filled.length));
    return cells;
  });
  return table("One row is shown below; choose another.", heads, rows);
}

export function mark(container, place) {
  container.querySelectorAll("tbody tr").forEach((row, number) => {
    row.classList.toggle("chosen", number === place);
    row.querySelector("button").setAttribute("aria-pressed", String(number === place));
  });
}

function prediction(name, found, set) {
  const states = Object.entries(found.probabilities).sort((a, b) => b[1] - a[1]);
  const chances = element("dl", { class: "chances" });
  for (const [state, share] of states.slice(0, 8)) {
    const chosen = state === String(found.value) ? "chosen" : "";
    chances.append(element("dt", { class: chosen }, state), element("dd", {}, bar(share), element("span", { class: `chance ${chosen}` }, percent(share))));
  }
  const verdict = element("h3", { class: "verdict" }, `${name}: ${text(found.value)}`);
  const possible = set && element("p", {}, set.abstains
    ? `Not sure: at 90 % coverage ${setText(set)} is possible.`
    : `At 90 % coverage only ${setText(set)} is possible.`);
  const more = states.length > 8 && element("p", { class: "note" }, `${states.length - 8} less probable classes are not shown.`);
  return [verdict, chances, possible || null, more || null];
}

function effects(explained) {
  const largest = Math.max(...explained.effects.map((one) => Math.abs(one.change)));
  const rows = explained.effects.slice(0, 12).map((one) => [
    one.column, text(one.value), effectBar(one.change, largest), text(one.change),
    one.probability_change === null ? "–" : signed(one.probability_change),
  ]);
  const of = explained.event === null || explained.event === undefined ? explained.column : `${explained.column} = ${text(explained.event)}`;
  return table(`What moved ${of}: the prediction with an entry, minus without it. Blue is for, orange against.`,
    ["Entry", "Value", "Effect", "#Change", "#Probability"], rows);
}

const signed = (share) => `${share < 0 ? "−" : "+"}${(100 * Math.abs(share)).toFixed(1)} points`;

// Everything about one row.
export function detail(answers, place, several) {
  const row = answers.completed[place];
  const parts = several ? [element("h2", {}, `Row ${place + 1}`)] : [];
  for (const [name, found] of Object.entries(row.targets)) {
    parts.push(...prediction(name, found, answers.sets?.[place][name]));
  }
  const explained = answers.explained?.[place] ?? [];
  for (const one of explained.slice(0, 6)) if (one.effects.length) parts.push(effects(one));
  const unusual = answers.unusual?.[place];
  if (unusual) {
    const score = unusual.score === null ? "" : ` (score ${text(unusual.score)}; ordinary rows are near 0)`;
    parts.push(element("h3", {}, "How unusual the row is"), element("p", {}, `It is ${howUnusual(unusual.score)}${score}.`));
    const odd = unusual.entries.filter((one) => one.surprise > 1);
    if (odd.length) parts.push(table("Entries that the others do not predict, the least fitting first.",
      ["Entry", "Value", "Expected", "#Surprise"], odd.map((one) => [one.column, text(one.value), text(one.expected), text(one.surprise)])));
  }
  if (row.filled.length) {
    const bounds = answers.intervals?.[place] ?? {};
    const rows = row.filled.map((name) => [name, text(row.values[name]),
      bounds[name] ? `${text(bounds[name].low)} to ${text(bounds[name].high)}` : "–"]);
    parts.push(element("h3", {}, "What was missing"), table("Missing values as the model expects them.", ["Column", "Expected", "90 % interval"], rows));
  }
  return parts.filter((part) => part !== null);
}
