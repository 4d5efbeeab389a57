export type Settings = {
  specialTokenTtl: number;
  accessTokenTtl: number;
  deleteNeedsCredentials: boolean;
  saveByUserUid: string;
  allowedOrigins: string[];
};
