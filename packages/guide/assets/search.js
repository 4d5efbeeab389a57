// The search, loaded when somebody asks for it: every passage of every page, by words, beginnings of words and near misses.

import MiniSearch from './minisearch.js';

const root = document.documentElement.dataset.root;
let dialog;
let index;

export async function openSearch() {
  dialog ??= makeDialog();
  dialog.showModal();
  const input = dialog.querySelector('input');
  input.select();
  index ??= await makeIndex();
  show(input.value);
}

async function makeIndex() {
  const passages = await (await fetch(new URL('search-index.json', import.meta.url))).json();
  const made = new MiniSearch({
    idField: 'at',
    fields: ['heading', 'page', 'text'],
    storeFields: ['at', 'page', 'heading', 'text'],
    searchOptions: {
      boost: { heading: 4, page: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
      // Why it was built so is seldom what is looked for.
      boostDocument: (at) => (at.startsWith('decisions') || at.startsWith('changelog') ? 0.4 : 1),
    },
  });
  made.addAll(passages);
  return made;
}

function makeDialog() {
  const made = document.createElement('dialog');
  made.className = 'search';
  made.setAttribute('aria-label', 'Search');
  made.innerHTML =
    '<form method="dialog"><input type="search" aria-label="Search the guide" placeholder="Search the guide" autocomplete="off" spellcheck="false"><button>Close</button></form><p role="status"></p><ol></ol>';
  const input = made.querySelector('input');
  input.addEventListener('input', () => show(input.value));
  made.addEventListener('click', ({ target }) => {
    if (target === made) made.close();
    // A place on this page: the page stays, the dialogue goes.
    if (target.closest('a')) made.close();
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

function show(words) {
  if (!index) return;
  const found = words.trim() === '' ? [] : index.search(words).slice(0, 20);
  dialog.querySelector('[role=status]').textContent =
    words.trim() === '' ? '' : found.length === 0 ? 'Nothing found.' : `${found.length} places`;
  dialog.querySelector('ol').replaceChildren(...found.map(drawFound));
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
