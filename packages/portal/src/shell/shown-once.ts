import { useQueryClient } from '@tanstack/react-query';

/** The key of mutations whose result is shown only once. */
export const SHOWN_ONCE = ['shown-once'];

/** Closes a dialog, but not while such a mutation runs: its result would be lost. */
export function useCloseUnlessSending(close: () => void): () => void {
  const queries = useQueryClient();
  return () => {
    if (queries.isMutating({ mutationKey: SHOWN_ONCE }) === 0) close();
  };
}
