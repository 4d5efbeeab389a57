// The account page. All that it shows is put there as text, never as markup.

import { ask, find, Refused, tell, whileBusy } from './manage.js';

/**
 * @typedef {{ clientId: string, name: string, createdAt: string }} Application
 * @typedef {{ tokenId: string, name: string, apps: string[] | null, access: string, expiresAt: string, expired: boolean, lastUsedAt: string | null }} Token
 * @typedef {{ sessionId: string, current: boolean, userAgent: string, signedInAt: string, lastSeenAt: string }} Session
 */

/** @type {Application[]} */
let applications = [];

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * @param {string} text
 * @param {string} what for those who do not see where it stands
 */
function copyButton(text, what) {
  const button = make('button', { type: 'button', class: 'quiet', 'aria-label': `Copy ${what}` }, 'Copy');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      // Without HTTPS browsers lend nobody the clipboard.
      const code = button.parentElement?.querySelector('code');
      if (code) getSelection()?.selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  };
  button.addEventListener('click', () => void copy());
  return button;
}

/**
 * A button that ends something, asked for twice.
 * @param {string} label
 * @param {string} what
 * @param {() => Promise<void>} end
 */
function endButton(label, what, end) {
  const button = /** @type {HTMLButtonElement} */ (
    make('button', { type: 'button', class: 'quiet danger', 'aria-label': `${label} ${what}` }, label)
  );
  let asked = false;
  const forget = () => {
    asked = false;
    button.textContent = label;
    button.setAttribute('aria-label', `${label} ${what}`);
  };
  button.addEventListener('blur', forget);
  button.addEventListener('click', () => {
    if (!asked) {
      asked = true;
      button.textContent = `Really ${label.toLowerCase()}?`;
      button.setAttribute('aria-label', `Really ${label.toLowerCase()} ${what}?`);
      return;
    }
    void whileBusy(button, () => attempt(end));
  });
  return button;
}

/**
 * @param {string} id
 * @param {HTMLElement[]} rows
 * @param {string} empty
 */
function fill(id, rows, empty) {
  find(id).replaceChildren(...(rows.length > 0 ? rows : [make('li', { class: 'empty' }, empty)]));
}

async function showApplications() {
  /** @type {Application[]} */
  const all = [];
  for (let more = true; more; ) {
    const { items, total } = await ask('GET', `applications?limit=200&offset=${all.length}`);
    all.push(...items);
    more = items.length > 0 && all.length < total;
  }
  applications = all;
  const rows = applications.map(({ clientId, name }) =>
    make(
      'li',
      {},
      make('span', { class: 'name' }, name),
      make('span', { class: 'value' }, make('code', {}, clientId), copyButton(clientId, `the clientId of ${name}`)),
    ),
  );
  fill('applications', rows, 'No application yet. Create the first one below.');
  find('token-app').replaceChildren(
    make('option', { value: '' }, 'all applications'),
    ...applications.map(({ clientId, name }) => make('option', { value: clientId }, `${name} (${clientId})`)),
  );
}

async function showTokens() {
  /** @type {{ items: Token[] }} */
  const { items } = await ask('GET', 'account/tokens');
  const rows = items.map((token) => {
    const scope = token.apps === null ? 'all applications' : token.apps.map(nameOf).join(', ') || 'no application';
    const may = token.access === 'write' ? 'read and change' : 'read';
    const ends = token.expired ? 'expired' : `until ${token.expiresAt.slice(0, 10)}`;
    const used = token.lastUsedAt === null ? 'never used' : `last used ${token.lastUsedAt} UTC`;
    return make(
      'li',
      {},
      make('span', { class: 'name' }, token.name, make('small', {}, `${may}, ${scope} · ${ends} · ${used}`)),
      endButton('Revoke', `the token ${token.name}`, async () => {
        await ask('DELETE', `account/tokens/${token.tokenId}`);
        await showTokens();
        sayAndGo(`Revoked the token ${token.name}. It has stopped working.`);
      }),
    );
  });
  fill('tokens', rows, 'No token yet.');
}

/** @param {string} clientId */
function nameOf(clientId) {
  return applications.find((each) => each.clientId === clientId)?.name ?? clientId;
}

async function showSessions() {
  /** @type {{ items: Session[] }} */
  const { items } = await ask('GET', 'account/sessions');
  const rows = items.map((session) => {
    const browser = describe(session.userAgent);
    const when = `since ${session.signedInAt} UTC · last seen ${session.lastSeenAt} UTC`;
    return make(
      'li',
      {},
      make('span', { class: 'name', title: session.userAgent }, browser, make('small', {}, when)),
      session.current
        ? make('span', { class: 'badge' }, 'this one')
        : endButton('End', `the session in ${browser}`, async () => {
            await ask('DELETE', `account/sessions/${session.sessionId}`);
            await showSessions();
            sayAndGo('Ended the session. Whoever used it is signed out.');
          }),
    );
  });
  fill('sessions', rows, 'Nowhere.');
}

/** @param {string} userAgent */
function describe(userAgent) {
  const browser = /(Firefox|Edg|OPR|HeadlessChrome|Chrome)\/\d+|Safari/.exec(userAgent)?.[0];
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(userAgent)?.[0];
  if (!browser) return userAgent.slice(0, 60) || 'An unnamed browser';
  const name = browser.replace('Edg/', 'Edge/').replace('OPR/', 'Opera/').replace('Headless', '').replace('/', ' ');
  return system ? `${name} on ${system.replace('Mac OS X', 'macOS')}` : name;
}

/** @param {string} text */
function say(text) {
  find('said').textContent = text;
}

/**
 * For when the button that was pressed is gone.
 * @param {string} text
 */
function sayAndGo(text) {
  say(text);
  find('said').focus();
}

/**
 * Does it, and tells what went wrong: beside the form it came from, or on top.
 * @param {() => Promise<void>} work
 * @param {string} [place]
 */
async function attempt(work, place = 'failure') {
  find(place).textContent = '';
  say('');
  try {
    await work();
  } catch (error) {
    if (error instanceof Refused && error.status === 401) showOutside();
    else {
      find(place).textContent = tell(error);
      find(place).scrollIntoView({ block: 'nearest' });
    }
  }
}

/** Nothing of anybody stays on the page. */
function showOutside() {
  for (const id of ['applications', 'tokens', 'sessions', 'new-application', 'new-token', 'who']) {
    find(id).replaceChildren();
  }
  find('inside').hidden = true;
  find('sign-out').hidden = true;
  find('outside').hidden = false;
  find('outside-title').focus();
}

/**
 * What is shown this once.
 * @param {string} id
 * @param {string} title
 * @param {[label: string, value: string][]} values
 */
function showOnce(id, title, values) {
  const rows = values.map(([label, value]) =>
    make(
      'p',
      { class: 'value' },
      make('span', { class: 'label' }, label),
      make('code', {}, value),
      copyButton(value, label),
    ),
  );
  const done = make('button', { type: 'button', class: 'quiet' }, 'I have kept it');
  done.addEventListener('click', () => find(id).replaceChildren());
  find(id).replaceChildren(make('p', {}, title), ...rows, done);
}

/**
 * @param {string} formId
 * @param {string} problemId
 * @param {string} nameId
 * @param {(name: string) => Promise<void>} create
 */
function onCreate(formId, problemId, nameId, create) {
  const form = find(formId);
  const input = /** @type {HTMLInputElement} */ (find(nameId));
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('button'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void whileBusy(button, () =>
      attempt(async () => {
        const name = input.value.trim();
        input.toggleAttribute('aria-invalid', name === '');
        if (name === '') {
          input.focus();
          throw new Error('Give it a name first.');
        }
        await create(name);
        input.value = '';
      }, problemId),
    );
  });
}

onCreate('application-form', 'application-problem', 'application-name', async (name) => {
  const made = await ask('POST', 'applications', { name });
  showOnce('new-application', `Created ${made.name}. Keep its secret now: it is shown this once.`, [
    ['clientId', made.clientId],
    ['clientSecret', made.clientSecret],
  ]);
  await showApplications();
});

onCreate('token-form', 'token-problem', 'token-name', async (name) => {
  /** @param {string} id */
  const chosen = (id) => /** @type {HTMLSelectElement} */ (find(id)).value;
  const app = chosen('token-app');
  const wanted = { name, access: chosen('token-access'), expires: chosen('token-expires'), apps: app ? [app] : null };
  const made = await ask('POST', 'account/tokens', wanted);
  showOnce('new-token', `Created the token ${made.name}. Keep it now: it is shown this once.`, [['token', made.token]]);
  await showTokens();
});

const signOut = /** @type {HTMLButtonElement} */ (find('sign-out'));
signOut.addEventListener('click', () => {
  void whileBusy(signOut, () =>
    attempt(async () => {
      await ask('DELETE', 'session');
      showOutside();
    }),
  );
});

await attempt(async () => {
  const { email } = await ask('GET', 'session');
  await showApplications();
  await Promise.all([showTokens(), showSessions()]);
  find('who').textContent = email;
  signOut.hidden = false;
  find('inside').hidden = false;
});
find('loading').hidden = true;
