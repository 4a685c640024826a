import { useQuery } from '@tanstack/react-query';

export type Model = {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly default: boolean;
};

const none: readonly Model[] = [];

/** What the proxy serves. */
export function useModels(): readonly Model[] {
  const { data } = useQuery({
    queryKey: ['models'],
    staleTime: Infinity,
    async queryFn(): Promise<readonly Model[]> {
      const response = await fetch('/api/v1/models');
      if (!response.ok) throw new Error(`The server answered with status ${response.status}.`);
      return ((await response.json()) as { models: Model[] }).models;
    },
  });
  return data ?? none;
}
