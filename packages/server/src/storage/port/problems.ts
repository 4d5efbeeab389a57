/** Something that operators must know about: /readyz, the metrics, the log and doctor report it. */
export type Problem = {
  /** Stable, for alerts. */
  kind:
    | 'disk'
    | 'corruption'
    | 'file'
    | 'clock'
    | 'log-size'
    | 'hard-link'
    | 'lock'
    | 'read-only'
    | 'schema'
    | 'durability'
    | 'addresses'
    | 'permissions'
    | 'worker'
    | 'secret'
    | 'mail';
  /** What is wrong, then what to do. */
  message: string;
  /** none: the service works. read-only: writes fail. down: no response can be trusted, and /readyz fails. */
  effect: 'none' | 'read-only' | 'down';
};
