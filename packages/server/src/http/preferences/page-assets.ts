/** The background on which the accent colour has the least contrast. */
export const LIGHT_PAGE = '#f6f7f9';
export const DARK_CARD = '#1b1e23';

/** Inline, so that the page is a single file; its policy allows it by its hash. */
export const STYLE = `
:root{color-scheme:light dark;--page:${LIGHT_PAGE};--card:#fff;--text:#16191d;--soft:#555c66;--line:#7b838f;--hair:#dfe2e7;--bad:#b3261e;--good:#1a6b3a;--goodback:#e5f4ea;--badback:#fdecea;--key:#1f5fbf;--onkey:#fff}
@media (prefers-color-scheme:dark){:root{--page:#121417;--card:${DARK_CARD};--text:#e9ebee;--soft:#a8b0bb;--line:#8a929e;--hair:#30353c;--bad:#ffb4ab;--good:#8fd7a8;--goodback:#16301f;--badback:#3b1a18;--key:#8ab4f8;--onkey:#0b1a33}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans Arabic",sans-serif;overflow-wrap:break-word}
.page{max-width:40rem;margin:0 auto;padding:1.5rem 1rem 4rem}
header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between;margin-block-end:1.25rem}
.app{display:flex;align-items:center;gap:.6rem;font-weight:600;color:var(--soft);margin:0}
.logo{max-block-size:2.5rem;max-inline-size:12rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 1rem}
h2{font-size:1.15rem;margin:0}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem .75rem;list-style:none;margin:0;padding:0}
a{color:var(--key);text-underline-offset:.2em}
nav a{display:inline-block;padding:.35rem 0}
nav a[aria-current]{color:var(--text);font-weight:600;text-decoration:none}
section,.note,.box{background:var(--card);border:1px solid var(--hair);border-radius:.75rem;padding:1.1rem 1.25rem;margin-block-end:1rem}
.hint{color:var(--soft);font-size:.9rem;margin:.15rem 0 0}
.field{border:0;border-block-start:1px solid var(--hair);margin:1rem 0 0;padding:1rem 0 0;min-inline-size:0}
.label,legend{font-weight:600;padding:0}
fieldset.field>legend{float:inline-start;inline-size:100%}
fieldset.field>:not(legend){clear:both}
.choice{display:flex;gap:.65rem;align-items:flex-start;padding:.45rem 0}
.choice input{flex:none;inline-size:1.2rem;block-size:1.2rem;margin:.15rem 0 0;accent-color:var(--key)}
input[type=text],input[type=number],input[type=date],select,textarea{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.55rem .7rem;inline-size:100%;margin-block-start:.4rem;min-block-size:2.75rem}
textarea{min-block-size:6rem;resize:vertical}
button{font:inherit;font-weight:600;color:var(--onkey);background:var(--key);border:0;border-radius:.5rem;padding:.7rem 1.5rem;min-block-size:2.75rem;cursor:pointer}
:focus-visible{outline:3px solid var(--key);outline-offset:2px}
.error{color:var(--bad);font-size:.9rem;font-weight:600;margin:.3rem 0 0}
[aria-invalid=true]{border-color:var(--bad)!important;outline-color:var(--bad)}
.note{font-weight:600;margin-block-end:1rem}
.note.done{background:var(--goodback);color:var(--good);border-color:currentColor}
.note.failed{background:var(--badback);color:var(--bad);border-color:currentColor}
@media print{:root{--page:#fff;--card:#fff;--text:#000;--soft:#333}button,nav{display:none}section{break-inside:avoid;border-color:#999}.page{max-width:none;padding:0}}
`;

/**
 * What the page adds with scripts: it saves and switches language without a reload, and keeps changed input across a
 * switch or a failed request. Both use the page's own requests and HTML, so everything works the same way without
 * scripts.
 */
export const SCRIPT = `
(() => {
  const main = () => document.querySelector('main');
  // Input typed now would be lost when the response replaces the page.
  const busy = (on) => {
    main().setAttribute('aria-busy', String(on));
    document.querySelector('.page').inert = on;
  };
  const show = (next) => {
    document.documentElement.lang = next.documentElement.lang;
    document.documentElement.dir = next.documentElement.dir;
    document.title = next.title;
    document.querySelector('.page').replaceWith(next.querySelector('.page'));
    document.querySelector('.note')?.focus();
  };
  // The page and its input stay.
  const fail = () => {
    document.querySelector('.note')?.remove();
    document.querySelector('h1').after(document.querySelector('template').content.cloneNode(true));
    document.querySelector('.note').focus();
  };
  // The values by name that differ from what the form had shown; unchanged texts have translations of their own.
  const typed = () => {
    const form = document.querySelector('form');
    if (!form) return new Map();
    const data = new FormData(form);
    const plain = (values) => JSON.stringify(values.filter((value) => value !== '').map((value) => value.replaceAll('\\r\\n', '\\n')));
    const entries = [...data].filter(([name]) => /^w/.test(name)).map(([name, shown]) => ['v' + name.slice(1), JSON.parse(shown)]);
    return new Map(entries.filter(([name, shown]) => plain(data.getAll(name)) !== plain(shown)).map(([name]) => [name, data.getAll(name)]));
  };
  const retype = (entries) => {
    const form = document.querySelector('form');
    if (!form) return;
    let last;
    for (const field of [...form.elements]) if (entries.has(field.name)) {
      const own = entries.get(field.name);
      if (field.type === 'checkbox' || field.type === 'radio') field.checked = own.includes(field.value);
      else {
        field.value = own.shift() ?? '';
        last = field;
        // The line of a list, with more behind it than there are lines.
        const isLast = ![...form.elements].some((other) => other !== field && other.name === field.name && field.compareDocumentPosition(other) & 4);
        while (isLast && own.length > 0) {
          const next = last.cloneNode();
          next.value = own.shift();
          last.after(next);
          last = next;
        }
      }
    }
  };
  const load = async (url, options, then) => {
    busy(true);
    try {
      const response = await fetch(url, { ...options, credentials: 'omit', redirect: 'error' });
      const next = new DOMParser().parseFromString(await response.text(), 'text/html');
      const isFinal = response.ok || response.status === 404 || response.status === 422;
      if (!next.querySelector('.page') || (!isFinal && document.querySelector('form'))) throw response;
      show(next);
      then?.();
    } catch {
      busy(false);
      fail();
    }
  };
  document.addEventListener('submit', (event) => {
    const form = event.target;
    event.preventDefault();
    load(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
  });
  document.addEventListener('click', (event) => {
    const link = event.target.closest('nav a');
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const entries = typed();
    const restore = () => {
      retype(entries);
      document.querySelector('nav [aria-current]')?.focus();
    };
    load(link.href, {}, restore);
  });
})();
`;
