/**
 * What the page adds with scripts: it saves and switches language without a reload, and keeps typed input across a
 * switch. Both use the page's own requests and HTML, so everything works the same way without scripts.
 */
export const SCRIPT = `
(() => {
  const main = () => document.querySelector('main');
  const busy = (on) => main().setAttribute('aria-busy', String(on));
  const show = (text) => {
    const next = new DOMParser().parseFromString(text, 'text/html');
    document.documentElement.lang = next.documentElement.lang;
    document.documentElement.dir = next.documentElement.dir;
    document.title = next.title;
    document.querySelector('.page').replaceWith(next.querySelector('.page'));
    document.querySelector('.note')?.focus();
  };
  const typed = () => {
    const form = document.querySelector('form');
    return form ? [...new FormData(form)].filter(([name]) => /^v/.test(name)) : [];
  };
  const retype = (entries) => {
    const form = document.querySelector('form');
    if (!form) return;
    const left = Object.groupBy(entries, ([name]) => name);
    let last;
    for (const field of [...form.elements]) if (/^v/.test(field.name)) {
      const own = left[field.name] ?? [];
      if (field.type === 'checkbox' || field.type === 'radio') field.checked = own.some(([, value]) => value === field.value);
      else {
        field.value = own.shift()?.[1] ?? '';
        last = field;
        // The line of a list, with more behind it than there are lines.
        const isLast = ![...form.elements].some((other) => other !== field && other.name === field.name && field.compareDocumentPosition(other) & 4);
        while (isLast && own.length > 0) {
          const next = last.cloneNode();
          next.value = own.shift()[1];
          last.after(next);
          last = next;
        }
      }
    }
  };
  const load = async (url, options, then) => {
    busy(true);
    try {
      const answer = await fetch(url, { ...options, credentials: 'omit', redirect: 'error' });
      show(await answer.text());
      then?.();
      return true;
    } catch {
      busy(false);
      return false;
    }
  };
  document.addEventListener('submit', async (event) => {
    const form = event.target;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form));
    if (!(await load(form.action, { method: 'POST', body }))) form.submit();
  });
  document.addEventListener('click', async (event) => {
    const link = event.target.closest('nav a');
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const entries = typed();
    const restore = () => {
      retype(entries);
      document.querySelector('nav [aria-current]')?.focus();
    };
    if (!(await load(link.href, {}, restore))) location.href = link.href;
  });
})();
`;
