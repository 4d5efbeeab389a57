import { useNavigate, useSearch } from '@tanstack/react-router';

/** Removes the dialog to open from the URL, and keeps the item. */
export function useCloseDialog(clientId: string): () => void {
  const { item } = useSearch({ from: '/frame/applications/$clientId/catalog' });
  const navigate = useNavigate();
  return () =>
    void navigate({
      to: '/applications/$clientId/catalog',
      params: { clientId },
      search: item === undefined ? {} : { item },
      replace: true,
      resetScroll: false,
    });
}
