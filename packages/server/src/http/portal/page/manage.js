// What both pages of the portal share: how they ask /manage/v1, and how they tell what went wrong.

/** @type {<T extends HTMLElement>(id: string) => T} */
export const find = (id) => /** @type {any} */ (document.getElementById(id));

const BASE = new URL('../manage/v1/', import.meta.url);

/** A refusal, in the words of the service. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {{ code?: string, message?: string, errors?: { field: string, message: string }[] }} body
   */
  constructor(status, { code, message, errors }) {
    const fields = errors?.map((each) => `${each.field} ${each.message}`).join('; ');
    const told = fields ? `${fields}.` : (message ?? 'The service refused this.');
    super(`${told} (${code ?? `HTTP ${status}`})`);
    this.status = status;
  }
}

/**
 * @param {string} method
 * @param {string} path after /manage/v1/
 * @param {object} [body]
 * @returns {Promise<any>}
 */
export async function ask(method, path, body) {
  const answer = await fetch(new URL(path, BASE), {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { 'X-Innkeeper-Portal': '1', ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error('The service cannot be reached. Try again in a moment.');
  });
  if (answer.status === 204) return undefined;
  const value = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, value);
  return value;
}

/**
 * Runs while a button cannot be pressed again.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<void>} work
 */
export async function whileBusy(button, work) {
  if (button.disabled) return;
  const hadFocus = document.activeElement === button;
  button.disabled = true;
  try {
    await work();
  } finally {
    button.disabled = false;
    // A button that is disabled loses it, and who works by keyboard would be back at the top of the page.
    if (hadFocus && document.activeElement === document.body) button.focus();
  }
}

/** @param {unknown} error */
export function tell(error) {
  return error instanceof Error ? error.message : String(error);
}
