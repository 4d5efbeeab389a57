export const EVENT_TYPES = [
  'user.created',
  'user.updated',
  'user.suspended',
  'user.resumed',
  'user.deleted',
  'selection.saved',
  'selection.unset',
  'catalog.published',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export function isEventType(value: unknown): value is EventType {
  return (EVENT_TYPES as readonly unknown[]).includes(value);
}
