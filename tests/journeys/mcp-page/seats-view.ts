import { App } from '@modelcontextprotocol/ext-apps/app-with-deps';

// A view as the quick start of MCP Apps writes one, on the class of its package.
const app = new App({ name: 'seats', version: '1.0.0' }, {});

function show(name: string, value: unknown): void {
  const line = document.body.appendChild(document.createElement('p'));
  line.textContent = `${name}: ${JSON.stringify(value)}`;
}

function button(name: string, act: () => Promise<unknown>): void {
  const made = document.body.appendChild(document.createElement('button'));
  made.textContent = name;
  made.addEventListener('click', () => void act().then((value) => show(name, value)));
}

app.ontoolinput = (params) => show('input', params.arguments);
app.ontoolresult = ({ structuredContent, _meta }) => show('result', { structuredContent, _meta });
button('Free seats', () => app.callServerTool({ name: 'free', arguments: {} }));
button('Take a seat', () => app.callServerTool({ name: 'take', arguments: { seat: 4 } }));
button('Ask for the plan', () =>
  app.sendMessage({ role: 'user', content: [{ type: 'text', text: 'plan' }] }),
);
await app.connect();
show('theme', app.getHostContext()?.theme);
