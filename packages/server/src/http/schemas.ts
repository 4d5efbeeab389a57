import type { ErrorName } from '../domain/errors.ts';
import type { Access } from '../domain/manage/access.ts';
import { Type } from '../schema.ts';

/**
 * Shapes that several operations share. They describe and never enforce: the contract's codes answer. A shape with
 * a title stands in the OpenAPI document once, under that name.
 */
export const UserWithTokenAnswer = Type.Object(
  {
    specialToken: Type.String({ description: 'good for one exchange' }),
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

declare module 'fastify' {
  /**
   * What a route's schema says for the OpenAPI document beside its shapes. `response` holds what is no error; under the
   * status of an error, only the members that stand beside its code and message.
   */
  interface FastifySchema {
    /** What generated clients call the operation, so it stays: a verb and what it is done to. */
    operationId?: string;
    summary?: string;
    description?: string;
    tags?: string[];
    /** The schemes that must come together, and the alternatives to them. */
    security?: Record<string, string[]>[];
    /** What it takes of the application that its path names. */
    access?: Access;
    /** Every error of its own; what can happen on any path is added to them. */
    errors?: readonly ErrorName[];
    examples?: Record<string, OperationExample>;
    /** Headers of the answer, with what they say. */
    answerHeaders?: Record<string, string>;
    /** The media type of the body or of the answer where it is not JSON; several where the caller chooses. */
    consumes?: string;
    produces?: string | readonly string[];
    /** Answered, but not documented. */
    hide?: boolean;
  }
}
