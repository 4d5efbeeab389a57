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
