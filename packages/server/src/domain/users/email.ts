/** What browsers accept in <input type="email"> (WHATWG HTML, "valid e-mail address"). */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** The same in every script (RFC 6531): grace@bücher.example. */
const INTERNATIONAL_EMAIL =
  /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?)*$/u;

/** The clientUserId if it is an email address, otherwise "". */
export function emailOf(clientUserId: string): string {
  return INTERNATIONAL_EMAIL.test(clientUserId) ? clientUserId : '';
}

/** For accounts and outgoing mail: only ASCII, as browsers send it, so that two spellings are never two accounts. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}
