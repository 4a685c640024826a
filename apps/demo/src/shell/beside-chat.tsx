import { type ServedModel, useModels } from '@vitrine/react';
import { SessionList, type SessionListProps } from '@vitrine/react/components';
import { type ReactNode, useEffect } from 'react';
import { WithQueries } from '../kit/with-queries.tsx';

type ServedModelsProps = { readonly onModels: (models: readonly ServedModel[]) => void };

/** The parts that load after the message box: the list of sessions and the list of models. */
export function BesideChat({ onModels, ...list }: SessionListProps & ServedModelsProps): ReactNode {
  return (
    <WithQueries>
      <ServedModels onModels={onModels} />
      <SessionList {...list} />
    </WithQueries>
  );
}

function ServedModels({ onModels }: ServedModelsProps): ReactNode {
  const { data } = useModels();
  useEffect(() => {
    if (data !== undefined) onModels(data);
  }, [data, onModels]);
  return null;
}
