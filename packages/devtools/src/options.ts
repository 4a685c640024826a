import type { CSSProperties } from 'react';

export type DockPosition = 'top' | 'bottom' | 'left' | 'right';
export type ButtonPosition = 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right';
export type DevtoolsTheme = 'light' | 'dark' | 'system';

export type AgentDevtoolsOptions = {
  /** Whether the panel is open at the first visit; later visits remember. Default: false. */
  readonly initialIsOpen?: boolean;
  /** Where the panel docks at the first visit. Default: bottom. */
  readonly position?: DockPosition;
  /** Where the button that opens the panel stands. Default: bottom-right. */
  readonly buttonPosition?: ButtonPosition;
  /** Default: system. */
  readonly theme?: DevtoolsTheme;
  /** For pages whose Content Security Policy wants a nonce, where stylesheets cannot be constructed. */
  readonly styleNonce?: string;
  /** A shadow root of yours to live in. Default: one of its own. */
  readonly shadowDOMTarget?: ShadowRoot;
};

export type AgentDevtoolsPanelProps = AgentDevtoolsOptions & { readonly style?: CSSProperties };
