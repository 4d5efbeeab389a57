import { JSON_TYPE, WireText } from './wire-text.ts';

export type Body = Buffer | WireText | string | undefined;

/** The response as a value: status, headers and body. Routes fill it in; write-response.ts writes it. */
export class HttpReply {
  statusCode = 200;
  /** Names in lower case and values in turn, each name once. */
  readonly rawHeaders: string[] = [];
  body: Body = undefined;
  /** The code of the error, for the log and the metrics. */
  errorCode: string | undefined = undefined;

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  header(name: string, value: string): this {
    const at = this.#find(name);
    if (at < 0) this.rawHeaders.push(name, value);
    else this.rawHeaders[at + 1] = value;
    return this;
  }

  headers(values: Record<string, string>): this {
    for (const name in values) this.header(name, values[name] as string);
    return this;
  }

  getHeader(name: string): string | undefined {
    const at = this.#find(name);
    return at < 0 ? undefined : this.rawHeaders[at + 1];
  }

  removeHeader(name: string): void {
    const at = this.#find(name);
    if (at >= 0) this.rawHeaders.splice(at, 2);
  }

  #find(name: string): number {
    for (let at = 0; at < this.rawHeaders.length; at += 2) if (this.rawHeaders[at] === name) return at;
    return -1;
  }

  type(contentType: string): this {
    return this.header('content-type', contentType);
  }

  redirect(location: string, status = 302): this {
    return this.code(status).header('location', location).send();
  }

  /** Texts and bytes as they are, anything else as JSON; without a type, all but bytes is JSON. */
  send(body?: unknown): this {
    if (body === undefined || body === null || Buffer.isBuffer(body) || body instanceof WireText) {
      this.body = body ?? undefined;
    } else {
      this.body = typeof body === 'string' ? body : JSON.stringify(body);
    }
    if (this.body !== undefined && this.getHeader('content-type') === undefined) this.type(JSON_TYPE);
    return this;
  }
}
