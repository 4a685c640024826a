import json, os, urllib.request

degrees = {'Oslo': 3, 'Rome': 21}
messages = [{'role': 'system', 'content': 'You are Helper.'}]


def ask(question):
    messages.append({'role': 'user', 'content': question})
    while True:
        body = json.dumps({'model': 'm', 'messages': messages}).encode()
        url = os.environ['OPENAI_BASE_URL'] + '/chat/completions'
        request = urllib.request.Request(url, body, {'content-type': 'application/json'})
        message = json.load(urllib.request.urlopen(request))['choices'][0]['message']
        messages.append(message)
        if not message.get('tool_calls'):
            return message['content']
        for call in message['tool_calls']:
            city = json.loads(call['function']['arguments'])['city']
            content = json.dumps({'city': city, 'degrees': degrees[city]})
            messages.append({'role': 'tool', 'tool_call_id': call['id'], 'content': content})


ask('What is the weather?')
print(ask('Which is warmer?'))
