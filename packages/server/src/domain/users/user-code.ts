const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Identifiers are compared exactly: what is not a UUID in lower case is nobody's. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
