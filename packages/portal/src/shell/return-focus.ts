const OPENED = '[role=dialog], [role=alertdialog], [role=menu]';

/**
 * When the last dialog closes, the focus goes back to where it was before. Mantine does this only if the opener still has the focus when
 * the dialog opens, and if the dialog stays rendered: not from a menu, nor from a button that was busy.
 */
export function returnFocusFromDialogs(): void {
  let opener: HTMLElement | undefined;
  let isInDialog = false;
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    isInDialog = target.closest(OPENED) !== null;
    if (!isInDialog) opener = target;
  });
  new MutationObserver(() => {
    if (!isInDialog || document.activeElement !== document.body) return;
    if ([...document.querySelectorAll(OPENED)].some((each) => each.checkVisibility())) return;
    isInDialog = false;
    opener?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}
