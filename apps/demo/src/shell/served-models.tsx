import { type ServedModel, useModels } from '@vitrine/react';
import { type ReactNode, useEffect } from 'react';

type ServedModelsProps = { readonly onModels: (models: readonly ServedModel[]) => void };

/** Asks the server for its models, after the message box works. Renders nothing. */
export function ServedModels({ onModels }: ServedModelsProps): ReactNode {
  const { data } = useModels();
  useEffect(() => {
    if (data !== undefined) onModels(data);
  }, [data, onModels]);
  return null;
}
