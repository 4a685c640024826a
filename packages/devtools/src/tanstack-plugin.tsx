import { type AgentDevtoolsOptions, type DevtoolsTheme, type MountedDevtools } from './options.ts';
import { mount } from './shell/mount.tsx';

/** A plugin as TanStack Devtools takes it, in whatever framework. */
export type AgentDevtoolsPlugin = {
  readonly id: string;
  readonly name: string;
  readonly render: (element: HTMLElement, props: unknown) => void;
  readonly destroy: (pluginId: string) => void;
};

/**
 * The panel as a plugin of TanStack Devtools: `<TanStackDevtools plugins={[agentDevtoolsPlugin()]} />`. It follows the
 * theme there. What somebody has opened and typed stays when the theme changes.
 */
export function agentDevtoolsPlugin(
  options: Omit<AgentDevtoolsOptions, 'theme' | 'initialIsOpen' | 'position' | 'buttonPosition'> = {},
): AgentDevtoolsPlugin {
  let mounted: { readonly element: HTMLElement; readonly panel: MountedDevtools } | null = null;
  const end = (): void => {
    mounted?.panel();
    mounted = null;
  };
  return {
    id: 'vitrine',
    name: 'Vitrine',
    render(element, props) {
      const theme = themeOf(props);
      if (mounted?.element === element && element.firstChild !== null)
        return mounted.panel.update({ ...options, theme });
      end();
      element.style.height = '100%';
      mounted = { element, panel: mount(element, { ...options, theme }, true) };
    },
    destroy: end,
  };
}

/** Some versions give the theme, others an object that holds it. */
function themeOf(props: unknown): DevtoolsTheme {
  const theme = typeof props === 'object' && props !== null && 'theme' in props ? props.theme : props;
  return theme === 'dark' || theme === 'light' ? theme : 'system';
}
