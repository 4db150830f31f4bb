// Searches the pages listed in pages.js: every word must occur; a word in a title counts more.
(function () {
  var input = document.getElementById("q"), list = document.getElementById("hits"), all = document.getElementById("all");
  function fold(text) { return text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, ""); }
  var pages = window.LORE_PAGES.map(function (page) {
    return { page: page, title: fold(page.title), text: fold(page.text) };
  });
  function count(text, word) { var n = 0, at = -1; while ((at = text.indexOf(word, at + 1)) >= 0 && n < 20) n++; return n; }
  function search() {
    var words = fold(input.value).split(/\s+/).filter(Boolean), found = [];
    list.textContent = "";
    all.hidden = words.length > 0;
    if (!words.length) return;
    pages.forEach(function (one) {
      var score = 0;
      for (var i = 0; i < words.length; i++) {
        var here = count(one.title, words[i]) * 10 + count(one.text, words[i]);
        if (!here) return;
        score += Math.log(1 + here);
      }
      found.push([score, one]);
    });
    found.sort(function (a, b) { return b[0] - a[0] || (a[1].title < b[1].title ? -1 : 1); });
    found.slice(0, 50).forEach(function (hit) {
      var item = document.createElement("li"), link = document.createElement("a"), note = document.createElement("small");
      link.href = hit[1].page.href;
      link.textContent = hit[1].page.title;
      var at = Math.max(0, hit[1].text.indexOf(words[0]) - 60);
      note.textContent = hit[1].page.text.slice(at, at + 180);
      item.appendChild(link); item.appendChild(note); list.appendChild(item);
    });
  }
  input.addEventListener("input", search);
  if (location.hash.length > 1) { input.value = decodeURIComponent(location.hash.slice(1)); search(); }
})();
