// Signing in: the link's token is in the fragment, and is sent only when the button is pressed, so that whatever
// looks at the link beforehand (a preview, a scanner of e-mails) does not spend it.

import { ask, find, tell, whileBusy } from './manage.js';

const email = /** @type {HTMLInputElement} */ (find('email'));
const enter = /** @type {HTMLButtonElement} */ (find('enter'));
const problem = find('problem');

/** A link that makes the first account. */
let isSetUp = false;

function show() {
  const token = location.hash.slice(1);
  isSetUp = token.startsWith('iku_');
  find('entrance').hidden = token === '';
  find('no-link').hidden = token !== '';
  find('email-field').hidden = !isSetUp;
  email.required = isSetUp;
  problem.textContent = '';
  find('title').textContent = isSetUp ? 'Set up the portal' : 'Sign in';
  enter.textContent = isSetUp ? 'Make my account' : 'Sign in';
  find('about').textContent = isSetUp
    ? 'This link makes the first account, once. The account may do everything here.'
    : 'This link signs you in once, on this device.';
  if (token !== '') (isSetUp ? email : enter).focus();
}

find('form').addEventListener('submit', (event) => {
  event.preventDefault();
  void whileBusy(enter, async () => {
    problem.textContent = '';
    email.removeAttribute('aria-invalid');
    if (isSetUp && (email.value.trim() === '' || !email.validity.valid)) {
      problem.textContent = 'Enter your e-mail address, as in ada@example.com.';
      email.setAttribute('aria-invalid', 'true');
      email.focus();
      return;
    }
    try {
      const token = location.hash.slice(1);
      await ask('POST', 'session', { token, ...(isSetUp && { email: email.value.trim() }) });
      // In the place of this page: its address, with the token, does not stay in the history.
      location.replace('../portal');
    } catch (error) {
      problem.textContent = tell(error);
    }
  });
});

addEventListener('hashchange', show);
show();
