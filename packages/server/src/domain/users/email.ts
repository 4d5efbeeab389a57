/** What browsers accept in <input type="email"> (WHATWG HTML, "valid e-mail address"). */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** CONTRACT.md section 2: the clientUserId when it is an e-mail address, otherwise "". */
export function emailOf(clientUserId: string): string {
  return isEmail(clientUserId) ? clientUserId : '';
}

export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}
