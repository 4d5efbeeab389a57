import { InnkeeperError } from '@innkeeper/client/manage';
import { expect, test } from 'vitest';
import { isShownAtFields, refusalOf } from '../src/rooms/catalog/refusals.ts';

const refuse = (code: string, ...fields: string[]) =>
  new InnkeeperError({ status: 422, body: { code, errors: fields.map((field) => ({ field, message: 'is wrong' })) } });

test('errors from the service are shown at the field they name', () => {
  const error = refuse('9422', 'constraint.max', 'values[1].translations.de', 'values[10].value', 'default[0]');
  expect(refusalOf(error, 'constraint.max')).toBe('limit');
  expect(refusalOf(error, 'constraint.min')).toBeUndefined();
  expect(refusalOf(error, 'max')).toBeUndefined();
  expect(refusalOf(error, 'values[1]')).toBe('valueText');
  expect(refusalOf(error, 'values[10]')).toBe('value');
  expect(refusalOf(error, 'default')).toBe('default');
  expect(isShownAtFields(error)).toBe(true);
});

test('errors without a field are shown beside the form', () => {
  expect(isShownAtFields(refuse('9422', 'name', 'groups[0].keys[1].name'))).toBe(false);
  expect(isShownAtFields(refuse('9409', 'name'))).toBe(false);
  expect(isShownAtFields(refuse('9422'))).toBe(false);
  expect(isShownAtFields(undefined)).toBe(false);
});
