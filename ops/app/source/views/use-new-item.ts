/** Leads to the form of a new item that begins with what its place in a view says. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';
import { itemPath, NEW_ITEM } from '../data/route-of.ts';
import type { Item } from '../data/schema-types.ts';
import { handOver } from '../form/handover.ts';

export function useNewItem(collection: string): (values: Item) => void {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (values) => {
    const path = itemPath(collection, NEW_ITEM);
    const given = Object.entries(values).filter(([, value]) => value !== null);
    if (given.length > 0) handOver(queryClient, path, Object.fromEntries(given));
    void navigate(path);
  };
}
