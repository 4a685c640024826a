import type { HubSource, Recorder } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import { useLive } from '../kit/use-live.ts';
import { panelTabs } from '../tabs/index.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { TabList } from './tab-list.tsx';

type SourceViewProps = {
  readonly source: HubSource;
  readonly recorder: Recorder;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
};

/** One agent: where it stands, and the tabs about it. */
export function SourceView({ source, recorder, tab, onTab }: SourceViewProps): ReactNode {
  const record = useLive(recorder, source);
  return (
    <>
      <Header source={source} state={record.state} />
      <TabList tabs={panelTabs} selected={tab} onSelect={onTab}>
        {(id) => {
          const View = panelTabs.find((candidate) => candidate.id === id)?.View;
          return <ErrorBoundary key={id}>{View && <View source={source} record={record} />}</ErrorBoundary>;
        }}
      </TabList>
    </>
  );
}
