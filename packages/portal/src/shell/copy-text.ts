/** Copies to the clipboard; false if the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Without HTTPS there is no clipboard API, but a selection can be copied. */
function copySelected(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  // Inside an open dialog, which traps the focus.
  (before?.parentElement ?? document.body).append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isDone;
}
