import type { DocumentedRoute } from './collect-routes.ts';
import type { OperationExample } from './examples.ts';
import type { Json } from './shared-shapes.ts';

export type Parameter = { name: string; in: string; required: boolean; schema: Json; examples?: Examples } & Json;
export type Answer = { description: string; headers?: Json; content?: Record<string, Content> };
export type Content = { schema: Json; examples?: Examples };
export type Example = { summary: string; description?: string; value: unknown };
export type Examples = Record<string, Example | Reference>;
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
