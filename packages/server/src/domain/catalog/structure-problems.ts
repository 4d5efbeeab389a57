import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import type { FileProblem } from './file-problem.ts';
import { CatalogFileSchema, ValueSchema } from './file-schema.ts';

const schema = Compile(CatalogFileSchema);
const valueSchema = Compile(ValueSchema);

/** Where parsed data is not of the schema's shape, in words for people. Not all at once: the first few. */
export function structureProblems(data: unknown): FileProblem[] {
  if (schema.Check(data)) return [];
  const problems = schema.Errors(data).flatMap((error) => toProblems(error, data));
  return problems.length > 0 ? problems : [{ path: [], message: 'is not a catalog' }];
}

function toProblems(error: TLocalizedValidationError, data: unknown): FileProblem[] {
  // An entry of `values` is a plain value or an object: what is wrong with it is told for the one that it is.
  if (error.schemaPath.includes('/anyOf/')) return [];
  const path = error.instancePath.split('/').slice(1).map(fromPointer);
  if (error.keyword !== 'anyOf') return describe(error, path);
  const entry = path.reduce<unknown>((inner, part) => (inner as Record<string, unknown>)[part], data);
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    const isText = typeof entry === 'string';
    return [{ path, message: isText ? 'is too long' : 'must be a text, a number, true or false, or have a `value`' }];
  }
  return valueSchema
    .Errors(entry)
    .flatMap((inner) => describe(inner, [...path, ...inner.instancePath.split('/').slice(1).map(fromPointer)]));
}

function describe({ keyword, params, message }: TLocalizedValidationError, path: FileProblem['path']): FileProblem[] {
  switch (keyword) {
    case 'boolean':
      // What is not known there: told by additionalProperties.
      return [];
    case 'additionalProperties':
      return params.additionalProperties.map((name) => ({
        path: [...path, name],
        message: 'is not known here',
        atName: true,
      }));
    case 'required':
      return params.requiredProperties.map((name) => ({ path: [...path, name], message: 'is missing' }));
    case 'enum':
      return [{ path, message: `must be one of ${params.allowedValues.join(', ')}` }];
    case 'type':
      return [{ path, message: `must be ${[params.type].flat().map(typeWord).join(', ')}` }];
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
      return [{ path, message: `must be ${COMPARISONS[params.comparison]} ${params.limit}` }];
    default:
      return [{ path, message }];
  }
}

const COMPARISONS = { '>=': 'at least', '<=': 'at most', '>': 'more than', '<': 'less than' };

const TYPE_WORDS: Record<string, string> = {
  object: 'a mapping',
  array: 'a list',
  string: 'a text (in quotes, if it looks like something else)',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function typeWord(type: string): string {
  return TYPE_WORDS[type] ?? type;
}

function fromPointer(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~');
}
