const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** In the service's form: lower case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A UUID in either case, converted to the service's form. */
export function readUuid(text: string): string | undefined {
  const lower = text.length === 36 ? text.toLowerCase() : '';
  return isUuid(lower) ? lower : undefined;
}
