import { notifications } from '@mantine/notifications';

let latest: string | undefined;

/** What was done to the draft. It replaces what was told before: after an undo, that would not be so any more. */
export function tellDraft(message: string): void {
  if (latest !== undefined) notifications.hide(latest);
  latest = notifications.show({ message });
}
