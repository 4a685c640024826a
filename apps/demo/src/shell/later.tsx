import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';

/** A component whose code comes when it is first drawn; until then something, or nothing, stands in its place. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: ReactNode = null,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() }));
  return function Later(props: Props) {
    return (
      <Suspense fallback={meanwhile}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}
