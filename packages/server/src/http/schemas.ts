import { Type } from '../schema.ts';

/**
 * Shapes that several operations share. They describe and never enforce: the contract's codes answer. A shape with
 * a title stands in the OpenAPI document once, under that name.
 */
export const UserWithTokenAnswer = Type.Object(
  {
    specialToken: Type.String({ description: 'valid for one exchange' }),
    clientId: Type.String(),
    clientUserId: Type.String(),
    clientUserName: Type.String(),
  },
  { title: 'UserWithToken' },
);

/** A request and its answer, both in the document under the same name; test/docs/replay.test.ts sends each one. */
export type OperationExample = {
  summary: string;
  params?: Record<string, string | number>;
  query?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  body?: unknown;
  status: number;
  /** Nothing for an answer without a body. */
  answer?: unknown;
};
