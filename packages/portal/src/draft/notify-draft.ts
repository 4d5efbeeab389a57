import { notifications } from '@mantine/notifications';

let latest: string | undefined;

/** Reports what was done to the draft. Replaces the previous notification, which would be wrong after an undo. */
export function notifyDraft(message: string): void {
  if (latest !== undefined) notifications.hide(latest);
  latest = notifications.show({ message });
}
