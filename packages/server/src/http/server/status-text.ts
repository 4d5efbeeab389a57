/** Not imported: naming all that node:http has, an import would load its WebSocket, and with it 10 MB of HTTP client. */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export function statusText(status: number): string | undefined {
  return STATUS_CODES[status];
}
