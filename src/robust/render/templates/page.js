"use strict";
(function () {
  var root = document.documentElement;
  var told = document.getElementById("told");

  // The theme: what the system has, until somebody chooses.
  var theme = document.getElementById("theme");
  var system = window.matchMedia("(prefers-color-scheme: dark)");
  function isDark() {
    var chosen = root.dataset.theme;
    return chosen ? chosen === "dark" : system.matches;
  }
  function nameTheme() {
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  }
  theme.addEventListener("click", function () {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  system.addEventListener("change", nameTheme);
  nameTheme();
  theme.hidden = false;

  // Copying, where the browser allows it and where it does not.
  function copyOld(text) {
    var area = document.createElement("textarea");
    area.value = text;
    area.setAttribute("readonly", "");
    area.className = "hidden";
    document.body.appendChild(area);
    area.select();
    var done = document.execCommand("copy");
    area.remove();
    return done;
  }
  function say(button, text) {
    var label = button.firstChild;
    label.textContent = text;
    told.textContent = text;
    window.setTimeout(function () {
      label.textContent = "Copy";
      told.textContent = "";
    }, 2000);
  }
  function copy(button) {
    var text = document.getElementById(button.dataset.copy).textContent;
    function fall() {
      say(button, copyOld(text) ? "Copied" : "Not copied");
      button.focus();
    }
    if (navigator.clipboard && window.isSecureContext) {
      navigator.clipboard.writeText(text).then(function () { say(button, "Copied"); }, fall);
    } else {
      fall();
    }
  }
  document.querySelectorAll("button.copy").forEach(function (button) { button.hidden = false; });
  document.addEventListener("click", function (event) {
    var button = event.target.closest("button.copy");
    if (button) { copy(button); }
  });

  // Search and filters.
  var form = document.querySelector("form.filters");
  if (!form) { return; }
  var items = Array.from(document.querySelectorAll("details.item"));
  var search = document.getElementById("search");
  var group = document.getElementById("group");
  var kind = document.getElementById("kind");
  var found = document.getElementById("found");
  var all = document.getElementById("open-all");
  var texts = null;
  function text(place) {
    // What is marked as gone or come is searched as it stands.
    if (!texts) { texts = items.map(function (item) { return item.textContent.toLowerCase(); }); }
    return texts[place];
  }
  function shown() { return items.filter(function (item) { return !item.hidden; }); }
  function filter() {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    var count = 0;
    items.forEach(function (item, place) {
      var fits = (!group || !group.value || item.dataset.group === group.value)
        && (!kind || !kind.value || item.dataset.kind === kind.value)
        && words.every(function (word) { return text(place).includes(word); });
      item.hidden = !fits;
      count += fits ? 1 : 0;
    });
    found.textContent = count === items.length ? items.length + " listed" : count + " of " + items.length + " listed";
    nameAll();
  }
  function anyClosed() { return shown().some(function (item) { return !item.open; }); }
  function nameAll() { all.textContent = anyClosed() ? "Open all" : "Close all"; }
  var waiting = 0;
  search.addEventListener("input", function () {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(filter, 120);
  });
  [group, kind].forEach(function (each) { if (each) { each.addEventListener("change", filter); } });
  form.addEventListener("submit", function (event) { event.preventDefault(); filter(); });
  all.addEventListener("click", function () {
    var open = anyClosed();
    shown().forEach(function (item) { item.open = open; });
    nameAll();
  });
  document.addEventListener("keydown", function (event) {
    var typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
    }
  });
  form.hidden = false;
  filter();
})();
