/**
 * What the page does better with scripts: it saves and switches language without a reload, and keeps what was typed across a switch.
 * Both are the page's own requests, and what they answer is the page's own HTML: without scripts everything works the same way.
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
    for (const field of form.elements) if (/^v/.test(field.name)) {
      const values = entries.filter(([name]) => name === field.name).map(([, value]) => value);
      if (field.type === 'checkbox' || field.type === 'radio') field.checked = values.includes(field.value);
      else if (values.length === 1) field.value = values[0];
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
