import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ERRORS } from '../../src/domain/errors.ts';
import type { OpenApiDocument, Operation } from '../../src/http/docs/describe-api.ts';
import { ANYWHERE } from '../../src/http/docs/describe-errors.ts';
import type { Example, ResponseObject } from '../../src/http/docs/shared-shapes.ts';

export type SeenResponse = { method: string; path: string; status: number; type: string | null; text: string };

const ANYWHERE_CODES = new Set<string>(ANYWHERE.map((name) => ERRORS[name].code));

/** The document with references to shared responses and examples resolved. References to schemas stay. */
export type ResolvedDocument = Omit<OpenApiDocument, 'paths'> & {
  paths: Record<string, Record<string, ResolvedOperation>>;
};
export type ResolvedOperation = Omit<Operation, 'responses' | 'requestBody'> & {
  responses: Record<string, ResolvedResponse>;
  requestBody?: { content: Record<string, ResolvedContent> };
};
type ResolvedResponse = Omit<ResponseObject, 'content'> & { content?: Record<string, ResolvedContent> };
export type ResolvedContent = { schema: Record<string, unknown>; examples?: Record<string, Example> };

export function withoutReferences(document: OpenApiDocument): ResolvedDocument {
  const { components } = document;
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace);
    if (value === null || typeof value !== 'object') return value;
    const [, kind, name] =
      /^#\/components\/(responses|examples)\/(.+)$/.exec(String((value as { $ref?: string }).$ref)) ?? [];
    if (kind !== undefined) return replace(components[kind as 'responses' | 'examples'][name as string]);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replace(each)]));
  };
  return replace(document) as ResolvedDocument;
}

/** Checks responses against the OpenAPI document: a documented status, schema and code, and no undocumented members. */
export class DocumentedResponses {
  readonly #operations: { method: string; path: RegExp; operation: ResolvedOperation }[];
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<object, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    (formats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    this.#ajv.addSchema({ schemas: closed(document.components.schemas) }, 'document');
    this.#operations = Object.entries(withoutReferences(document).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        operation,
      })),
    );
  }

  /** Describes what is wrong with a response; undefined if it is valid or its path is not documented. */
  problemWith(seen: SeenResponse): string | undefined {
    const { method, path, status, type, text } = withoutProblemDetails(seen);
    const bare = path.split(/[?#]/, 1)[0] as string;
    const found = this.#operations.find((each) => each.method === method && each.path.test(bare));
    if (!found) return undefined;
    const { operationId, responses } = found.operation;
    if (ANYWHERE_CODES.has(codeOf(type, text))) return undefined;
    const response = responses[status];
    if (!response) return `${operationId}: HTTP ${status} is not documented: ${text.slice(0, 300)}`;
    if (!response.content) {
      return text === '' ? undefined : `${operationId}: HTTP ${status} is documented without a body: ${text}`;
    }
    const [documented, content] = Object.entries(response.content).find(([each]) => type?.startsWith(each)) ?? [];
    if (documented === undefined || !content) {
      const types = Object.keys(response.content).join(', ');
      return `${operationId}: HTTP ${status} is documented as ${types}, but is ${type}`;
    }
    if (documented !== 'application/json') return undefined;
    const validate = this.#validators.get(content) ?? this.#ajv.compile(closed(content.schema) as object);
    this.#validators.set(content, validate);
    if (validate(JSON.parse(text))) return undefined;
    const problems = this.#ajv.errorsText(validate.errors, { dataVar: 'response' });
    return `${operationId}: HTTP ${status} is not as documented: ${problems}\n${text}`;
  }
}

/** RFC 9457's additional members are documented once for all operations, so they are removed before the check. */
function withoutProblemDetails(seen: SeenResponse): SeenResponse {
  if (!seen.type?.startsWith('application/problem+json')) return seen;
  const { type: _type, title: _title, status: _status, detail: _detail, ...body } = JSON.parse(seen.text);
  return { ...seen, type: 'application/json', text: JSON.stringify(body) };
}

function codeOf(type: string | null, text: string): string {
  return type?.startsWith('application/json') && text !== '' ? (JSON.parse(text)?.code ?? '') : '';
}

/** The schema with undocumented members disallowed; its references point into the document's schemas. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  if (typeof copy.$ref === 'string') copy.$ref = copy.$ref.replace('#/components/', 'document#/');
  if (copy.type === 'object' && copy.properties && !('additionalProperties' in copy)) copy.additionalProperties = false;
  return copy;
}
