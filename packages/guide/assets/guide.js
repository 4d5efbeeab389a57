// Theme, menu on a phone, copy buttons and search. All pages can be read without it.

import { openSearch } from './search-dialog.js';

const html = document.documentElement;
const byId = (id) => document.getElementById(id);

const themeButton = byId('theme');
const isDark = () =>
  html.dataset.theme ? html.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
const nameTheme = () => {
  themeButton.textContent = isDark() ? 'Light' : 'Dark';
  themeButton.setAttribute('aria-label', `${isDark() ? 'Light' : 'Dark'} theme`);
};
themeButton.addEventListener('click', () => {
  html.dataset.theme = isDark() ? 'light' : 'dark';
  nameTheme();
  try {
    localStorage.setItem('innkeeper-theme', html.dataset.theme);
  } catch {
    // The browser stores nothing: the choice applies to this page only.
  }
});
nameTheme();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', nameTheme);
addEventListener('storage', ({ key, newValue }) => {
  if (key !== 'innkeeper-theme') return;
  if (newValue === 'light' || newValue === 'dark') html.dataset.theme = newValue;
  else delete html.dataset.theme;
  nameTheme();
});

const menu = byId('menu');
menu.addEventListener('click', () => {
  const open = menu.getAttribute('aria-expanded') !== 'true';
  menu.setAttribute('aria-expanded', String(open));
  html.classList.toggle('menu-open', open);
});
document.querySelector('#nav [aria-current]')?.scrollIntoView({ block: 'nearest' });

for (const figure of document.querySelectorAll('figure.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    const code = figure.querySelector('code');
    const told = (word) => {
      button.textContent = word;
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1500);
    };
    // Pages without TLS have no clipboard API: the selected text can be copied by hand.
    const select = () => {
      getSelection().selectAllChildren(code);
      told('Selected');
    };
    if (!navigator.clipboard) select();
    else navigator.clipboard.writeText(code.textContent).then(() => told('Copied'), select);
  });
  figure.append(button);
}

const contents = [...document.querySelectorAll('.contents a')];
if (contents.length > 0) {
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        for (const link of contents) link.classList.toggle('here', link.hash === `#${target.id}`);
      }
    },
    { rootMargin: '-10% 0px -80% 0px' },
  );
  for (const heading of document.querySelectorAll('article h2, article h3')) watch.observe(heading);
}

byId('find').addEventListener('click', openSearch);
addEventListener('keydown', (event) => {
  const typing = event.target instanceof Element && event.target.closest('input, textarea');
  const asked = (event.key === '/' && !typing) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
  if (!asked) return;
  event.preventDefault();
  openSearch();
});
