export type ReadEvent = { id?: string; event?: string; data?: Record<string, unknown> };

/** Reads server-sent events like a client. */
export class EventReader {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #abort: AbortController;
  #text = '';
  /** For the Last-Event-ID of a reconnect. */
  lastId: string | undefined;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.#reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
  }

  /** Resolves when the response's head has arrived; from then on, all events are read. */
  static async open(url: string, headers: Record<string, string>): Promise<EventReader> {
    const abort = new AbortController();
    const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: abort.signal });
    const reader = new EventReader(response, abort);
    if (response.status === 200) await reader.#block();
    return reader;
  }

  /** The next event; undefined at the end of the stream. */
  async next(): Promise<ReadEvent | undefined> {
    for (;;) {
      const block = await this.#block();
      if (block === undefined || block.event !== undefined) return block;
    }
  }

  async take(count: number): Promise<ReadEvent[]> {
    const events: ReadEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (!event) throw new Error(`The stream ended after ${events.length} events.`);
      events.push(event);
    }
    return events;
  }

  close(): void {
    this.#abort.abort();
    this.#reader.cancel().catch(() => {});
  }

  async #block(): Promise<ReadEvent | undefined> {
    let end = this.#text.indexOf('\n\n');
    while (end < 0) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += value;
      end = this.#text.indexOf('\n\n');
    }
    const lines = this.#text.slice(0, end).split('\n');
    this.#text = this.#text.slice(end + 2);
    const fields = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
    this.lastId = fields.get('id') ?? this.lastId;
    const { id, event, data } = Object.fromEntries(fields);
    return {
      ...(id !== undefined && { id }),
      ...(event !== undefined && { event }),
      ...(data !== undefined && { data: JSON.parse(data) }),
    };
  }
}
