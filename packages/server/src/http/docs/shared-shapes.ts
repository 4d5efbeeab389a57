export type Json = Record<string, unknown>;
/** A JSON Schema, as far as this module inspects one. */
export type Shape = Json & {
  title?: string;
  description?: string;
  properties?: Record<string, Shape>;
  required?: string[];
};

/** Collects shapes with a title, each stored once and referenced from everywhere else. */
export class SharedShapes {
  readonly #shapes = new Map<string, { source: string; shape: Json }>();

  share(shape: Shape): Json {
    const { title, ...rest } = shape;
    if (title === undefined) return this.#within(shape);
    const source = JSON.stringify(rest);
    const known = this.#shapes.get(title);
    if (known && known.source !== source) throw new Error(`Two different shapes are titled ${title}.`);
    if (!known) this.#shapes.set(title, { source, shape: this.#within(rest) });
    return { $ref: `#/components/schemas/${title}` };
  }

  sorted(): Record<string, Json> {
    const entries = [...this.#shapes].map(([title, { shape }]) => [title, shape] as const);
    return Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b)));
  }

  #within(shape: Json): Json {
    return Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, this.#shareAll(key, value)]));
  }

  /** Descends only where JSON Schema has schemas; constants and defaults stay as they are. */
  #shareAll(key: string, value: unknown): unknown {
    if (key === 'properties') {
      const properties = Object.entries(value as Record<string, Shape>);
      return Object.fromEntries(properties.map(([name, each]) => [name, this.share(each)]));
    }
    if (key === 'items') return this.share(value as Shape);
    if (key === 'anyOf' || key === 'allOf') return (value as Shape[]).map((each) => this.share(each));
    return value;
  }
}
