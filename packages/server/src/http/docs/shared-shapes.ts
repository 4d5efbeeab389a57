import type { DocumentedRoute, OperationExample } from './examples.ts';

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

export type Parameter = { name: string; in: string; required: boolean; schema: Json; examples?: Examples } & Json;
export type ResponseObject = { description: string; headers?: Json; content?: Record<string, Content> };
export type Content = { schema: Json; examples?: Examples };
export type Example = { summary: string; description?: string; value: unknown };
type Examples = Record<string, Example | Reference>;
export type Reference = { $ref: string };

export function describeHeaders(headers: Record<string, string>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

/** The part of each example that belongs in one place of the document, by the example's name. */
export function examplesOf(
  { examples }: DocumentedRoute,
  part: (example: OperationExample) => unknown,
): Examples | undefined {
  const found = Object.entries(examples).flatMap(([name, example]) => {
    const value = part(example);
    return value === undefined ? [] : [[name, { summary: example.summary, value }] as const];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

export function withExamples(schema: Json, examples: Examples | undefined): Content {
  return { schema, ...(examples && { examples }) };
}
