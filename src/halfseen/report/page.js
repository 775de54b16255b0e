"use strict";
(function () {
  function each(selector, action, root) {
    Array.prototype.forEach.call((root || document).querySelectorAll(selector), action);
  }

  function button(text, action) {
    var made = document.createElement("button");
    made.type = "button";
    made.className = "plain";
    made.textContent = text;
    made.addEventListener("click", action);
    return made;
  }

  // Cells without a key are sorted last, whichever way the column is sorted.
  function key(row, place, numeric) {
    var cell = row.cells[place];
    var text = cell.hasAttribute("data-key") ? cell.getAttribute("data-key") : cell.textContent;
    if (cell.hasAttribute("data-none")) { return null; }
    if (!numeric) { return text; }
    var number = parseFloat(text);
    return isNaN(number) ? null : number;
  }

  function compare(a, b, numeric) {
    return numeric ? a - b : a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" });
  }

  function sort(table, head, refresh) {
    var numeric = head.getAttribute("data-kind") === "number";
    var up = head.getAttribute("aria-sort") !== "ascending";
    each("thead th", function (other) { other.removeAttribute("aria-sort"); }, table);
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    var body = table.tBodies[0];
    var rows = Array.prototype.map.call(body.rows, function (row, order) {
      return { row: row, order: order, key: key(row, head.cellIndex, numeric) };
    });
    rows.sort(function (a, b) {
      if (a.key === null || b.key === null) {
        return (a.key === null) - (b.key === null) || a.order - b.order;
      }
      var way = compare(a.key, b.key, numeric);
      return (up ? way : -way) || a.order - b.order;
    });
    rows.forEach(function (entry) { body.appendChild(entry.row); });
    refresh();
  }

  function longTable(figure, table) {
    var shown = parseInt(table.getAttribute("data-shown"), 10);
    var rows = table.tBodies[0].rows;
    if (rows.length <= shown) { return function () {}; }
    var all = false;
    var search = document.createElement("input");
    search.className = "plain";
    search.type = "search";
    search.placeholder = "Search " + rows.length + " rows";
    search.setAttribute("aria-label", "Search the rows of this table");
    var said = document.createElement("span");
    said.setAttribute("role", "status");
    function refresh() {
      var wanted = search.value.trim().toLowerCase();
      var found = 0;
      Array.prototype.forEach.call(rows, function (row) {
        var fits = !wanted || row.textContent.toLowerCase().indexOf(wanted) >= 0;
        found += fits ? 1 : 0;
        row.hidden = !fits || (!all && found > shown);
      });
      said.textContent = Math.min(found, all ? found : shown) + " of " + found + " shown";
      toggle.hidden = found <= shown;
      toggle.textContent = all ? "Show fewer" : "Show all " + found;
    }
    var toggle = button("", function () { all = !all; refresh(); });
    search.addEventListener("input", refresh);
    var below = document.createElement("div");
    below.className = "below";
    below.append(search, toggle, said);
    figure.appendChild(below);
    refresh();
    return refresh;
  }

  each("figure.table", function (figure) {
    var table = figure.querySelector("table");
    var refresh = longTable(figure, table);
    if (!table.hasAttribute("data-sorts")) { return; }
    each("thead tr:last-child th", function (head) {
      var made = document.createElement("button");
      made.type = "button";
      made.append.apply(made, Array.prototype.slice.call(head.childNodes));
      made.addEventListener("click", function () { sort(table, head, refresh); });
      head.appendChild(made);
    }, table);
  });

  // A cell that has a drawer opens it in a dialog; the drawers are data until then.
  function filled(name, text, parent) {
    var made = document.createElement(name);
    made.textContent = text;
    parent.appendChild(made);
    return made;
  }

  function fill(dialog, book, drawer) {
    dialog.replaceChildren();
    var close = button("Close", function () { dialog.close(); });
    var top = document.createElement("div");
    top.className = "top";
    filled("h2", drawer[0], top).id = "drawer-title";
    top.appendChild(close);
    var box = document.createElement("div");
    box.className = "scroll";
    var table = document.createElement("table");
    var line = table.createTHead().insertRow();
    book.heads[drawer[1]].forEach(function (head, place) {
      var made = filled("th", head, line);
      made.scope = "col";
      made.className = place ? "n" : "";
    });
    var body = table.createTBody();
    drawer[2].forEach(function (row) {
      var line = body.insertRow();
      row.forEach(function (text, place) {
        var made = filled(place ? "td" : "th", text, line);
        if (place) { made.className = "n"; } else { made.scope = "row"; }
      });
    });
    box.appendChild(table);
    var list = document.createElement("dl");
    drawer[3].forEach(function (which) {
      filled("dt", book.texts[which][0], list);
      filled("dd", book.texts[which][1], list);
    });
    dialog.append(top, box, list);
  }

  var kept = document.getElementById("drawers");
  if (kept) {
    var book = null;
    var dialog = document.createElement("dialog");
    dialog.setAttribute("aria-labelledby", "drawer-title");
    dialog.addEventListener("click", function (event) {
      if (event.target === dialog) { dialog.close(); }
    });
    document.body.appendChild(dialog);
    each("[data-opens]", function (cell) {
      var made = document.createElement("button");
      made.type = "button";
      made.className = "opens";
      made.append.apply(made, Array.prototype.slice.call(cell.childNodes));
      cell.appendChild(made);
    });
    document.addEventListener("click", function (event) {
      var chosen = event.target.closest ? event.target.closest("button.opens") : null;
      if (!chosen) { return; }
      book = book || JSON.parse(kept.textContent);
      var drawer = book.drawers[chosen.parentNode.getAttribute("data-opens")];
      if (!drawer) { return; }
      fill(dialog, book, drawer);
      dialog.showModal();
      dialog.scrollTop = 0;
      reachable();
    });
  }

  // A box that scrolls must be reachable by keyboard; one that does not should be passed over.
  function reachable() {
    each(".scroll", function (box) {
      if (box.scrollWidth > box.clientWidth + 1) { box.tabIndex = 0; }
      else { box.removeAttribute("tabindex"); }
    });
  }
  reachable();
  window.addEventListener("resize", reachable);
  each("details", function (one) { one.addEventListener("toggle", reachable); });

  var folded = [];
  window.addEventListener("beforeprint", function () {
    each("details:not([open])", function (one) { folded.push(one); one.open = true; });
  });
  window.addEventListener("afterprint", function () {
    folded.forEach(function (one) { one.open = false; });
    folded = [];
  });

  var root = document.documentElement;
  var prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  function isDark() {
    return root.hasAttribute("data-theme")
      ? root.getAttribute("data-theme") === "dark" : prefersDark.matches;
  }
  var theme = button("", function () {
    root.setAttribute("data-theme", isDark() ? "light" : "dark");
    name();
  });
  function name() { theme.textContent = isDark() ? "Light" : "Dark"; }
  theme.className = "plain theme";
  theme.setAttribute("aria-label", "Switch between light and dark");
  name();
  prefersDark.addEventListener("change", name);
  document.querySelector("header").appendChild(theme);

  var links = {};
  each("nav a", function (link) { links[link.getAttribute("href").slice(1)] = link; });
  var sections = Array.prototype.slice.call(document.querySelectorAll("main section"));
  var waiting = false;
  function current() {
    waiting = false;
    var here = null;
    sections.forEach(function (section) {
      if (section.getBoundingClientRect().top < window.innerHeight * 0.3) { here = section; }
    });
    each("nav a[aria-current]", function (link) { link.removeAttribute("aria-current"); });
    if (here && links[here.id]) { links[here.id].setAttribute("aria-current", "true"); }
  }
  window.addEventListener("scroll", function () {
    if (!waiting) { waiting = true; window.requestAnimationFrame(current); }
  }, { passive: true });
  current();
})();
