// The search dialog. It exists from the start; the search index is loaded when it is first opened.

const root = document.documentElement.dataset.root;
let dialog;
let finder;

export function openSearch() {
  dialog ??= makeDialog();
  if (!dialog.open) dialog.showModal();
  dialog.querySelector('input').select();
  finder ??= import('./search.js').then(({ makeFinder }) => makeFinder());
  show();
}

function makeDialog() {
  const made = document.createElement('dialog');
  made.className = 'search';
  made.setAttribute('aria-label', 'Search');
  made.innerHTML =
    '<form method="dialog"><input type="search" aria-label="Search the guide" placeholder="Search the guide" autocomplete="off" spellcheck="false"><button>Close</button></form><p role="status"></p><ol></ol>';
  const input = made.querySelector('input');
  input.addEventListener('input', show);
  made.addEventListener('click', ({ target }) => {
    // A click outside, or on a link, which may lead to this page.
    if (target === made || target.closest('a')) made.close();
  });
  made.addEventListener('keydown', (event) => {
    const links = [...made.querySelectorAll('li a')];
    if (event.key === 'Enter' && event.target === input) {
      event.preventDefault();
      links[0]?.click();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || links.length === 0) return;
    event.preventDefault();
    const next = links.indexOf(document.activeElement) + step;
    (links[next] ?? (step > 0 ? links[0] : input)).focus();
  });
  document.body.append(made);
  return made;
}

function show() {
  finder
    .then((find) => {
      const words = dialog.querySelector('input').value.trim();
      const found = words === '' ? [] : find(words);
      const shown = found.slice(0, 20);
      dialog.querySelector('[role=status]').textContent = words === '' ? '' : tell(found.length, shown.length);
      dialog.querySelector('ol').replaceChildren(...shown.map(drawFound));
    })
    .catch(() => {
      finder = undefined;
      dialog.querySelector('[role=status]').textContent = 'Search is not available. Try again later.';
    });
}

function tell(found, shown) {
  if (found === 0) return 'Nothing found.';
  if (found === 1) return '1 place';
  return found > shown ? `The best ${shown} of ${found} places` : `${found} places`;
}

function drawFound({ at, page, heading, text, terms }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = root + at;
  const title = document.createElement('strong');
  title.textContent = page === heading ? page : `${page}: ${heading}`;
  const place = Math.max(0, text.toLowerCase().indexOf(terms[0]) - 40);
  const part = document.createElement('span');
  part.textContent = `${place > 0 ? '… ' : ''}${text.slice(place, place + 140)}`;
  link.append(title, part);
  item.append(link);
  return item;
}
