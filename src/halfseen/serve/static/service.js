// Asks the service, and shows what it answers.

import { detail, element, mark, overview, text } from "./view.js";

const by = (id) => document.getElementById(id);
const SHOWN = 50;
const SEARCHABLE = 24;
let model = null;
let asked = 0;
const token = { value: sessionStorage.getItem("halfseen-token") };

async function ask(address, body, type = "application/json") {
  const headers = body === undefined ? {} : { "Content-Type": type };
  if (token.value) headers.Authorization = `Bearer ${token.value}`;
  headers.Accept = "application/json";
  const response = await fetch(address, { method: body === undefined ? "GET" : "POST", headers, body });
  const content = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(content.error ?? `The service answered with status ${response.status}.`);
  return content;
}

function fail(error) {
  by("status").textContent = "";
  by("error").textContent = error.message;
}

function field(column, place) {
  const id = `field-${place}`;
  const label = element("label", { for: id }, column.name);
  let input;
  if (column.categories.length && column.categories.length <= 200) {
    input = element("select", { id }, element("option", { value: "" }, "not known"));
    column.categories.forEach((value, code) => input.append(element("option", { value: code }, text(value))));
  } else {
    const number = column.low !== null;
    input = element("input", { id, inputmode: number ? "decimal" : "text" });
    input.placeholder = number ? `${text(column.low)} to ${text(column.high)}` : "not known";
    if (number) input.dataset.number = "yes";
  }
  return element("div", {}, label, input);
}

function record() {
  const found = {};
  model.features.forEach((column, place) => {
    const input = by(`field-${place}`);
    if (input.value.trim() === "") found[column.name] = null;
    else if (input.tagName === "SELECT") found[column.name] = column.categories[Number(input.value)];
    else if (input.dataset.number) found[column.name] = numberIn(input, column.name);
    else found[column.name] = input.value;
  });
  return found;
}

function numberIn(input, name) {
  const number = Number(input.value.trim().replace("−", "-"));
  const wrong = !Number.isFinite(number);
  input.setAttribute("aria-invalid", String(wrong));
  if (wrong) {
    input.focus();
    throw new Error(`${name} is a number; write it as 1234.5, or leave it empty.`);
  }
  return number;
}

async function answer(body, type, button) {
  const number = (asked += 1);
  by("error").textContent = "";
  by("status").textContent = "Asking …";
  button.disabled = true;
  try {
    const place = `/v1/models/${encodeURIComponent(model.name)}/`;
    const post = (route) => ask(place + route, body, type).then((found) => found);
    const completed = await post("complete");
    const wanted = ["explain", "unusual"];
    if (model.has_intervals) wanted.push("intervals", ...(model.targets.length ? ["sets"] : []));
    const others = await Promise.allSettled(wanted.map(post));
    if (number !== asked) return;
    const found = { completed: completed.rows.slice(0, SHOWN) };
    const names = { explain: "explained" };
    wanted.forEach((route, k) => {
      if (others[k].status === "fulfilled") found[names[route] ?? route] = others[k].value.rows;
    });
    const refused = others.filter((one) => one.status === "rejected").map((one) => one.reason.message);
    show(found, [...completed.notes, ...new Set(refused)], completed.rows.length);
  } catch (error) {
    if (number === asked) fail(error);
  } finally {
    button.disabled = false;
  }
}

function show(found, notes, rows) {
  by("notes").replaceChildren(...notes.map((note) => element("li", {}, note)));
  const several = found.completed.length > 1;
  const open = (place) => {
    by("detail").replaceChildren(...detail(found, place, several));
    if (several) mark(by("rows"), place);
  };
  by("rows").replaceChildren();
  if (several) by("rows").append(overview(found, model.targets.map((column) => column.name), open));
  open(0);
  by("result").hidden = false;
  by("status").textContent = rows > SHOWN ? `The first ${SHOWN} of ${rows} rows are shown.` : `${rows === 1 ? "One row is" : `${rows} rows are`} answered.`;
  by("result").focus({ preventScroll: true });
  by("result").scrollIntoView({ block: "start" });
}

async function choose(name) {
  model = await ask(`/v1/models/${encodeURIComponent(name)}`);
  by("fields").replaceChildren(...model.features.map(field));
  document.querySelector(".search").hidden = model.features.length < SEARCHABLE;
  const targets = model.targets.map((column) => column.name);
  const shown = targets.slice(0, 6).join(", ") + (targets.length > 6 ? ` and ${targets.length - 6} more` : "");
  by("about").textContent = `${model.name}: ${model.estimator}, ${model.features.length} columns` +
    (targets.length ? `; it predicts ${shown}.` : "; it fills what is missing.") + ` Version ${model.version}.`;
  by("about").hidden = by("ask").hidden = false;
  by("result").hidden = true;
}

async function start() {
  const { models } = await ask("/v1/models");
  by("model").replaceChildren(...models.map((one) => element("option", {}, one.name)));
  by("chooser").hidden = models.length < 2;
  await choose(models[0].name);
  if (by("token-form")) by("token-form").hidden = true;
}

by("model").addEventListener("change", () => choose(by("model").value).catch(fail));
by("search").addEventListener("input", () => {
  const word = by("search").value.trim().toLowerCase();
  for (const one of by("fields").children) one.hidden = !one.textContent.toLowerCase().includes(word);
});
by("form").addEventListener("submit", (event) => {
  event.preventDefault();
  try {
    answer(JSON.stringify({ records: [record()] }), "application/json", event.submitter ?? by("form").querySelector("button"));
  } catch (error) {
    fail(error);
  }
});
by("table-form").addEventListener("submit", (event) => {
  event.preventDefault();
  answer(by("table").value, "text/csv", event.submitter ?? by("table-form").querySelector("button"));
});
by("file").addEventListener("change", async () => {
  const [file] = by("file").files;
  if (file) by("table").value = await file.text();
});
by("token-form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  token.value = by("token").value;
  sessionStorage.setItem("halfseen-token", token.value);
  by("error").textContent = "";
  start().catch(fail);
});
if (!by("token-form") || token.value) start().catch(fail);
