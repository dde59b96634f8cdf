"""What a command does to the project is seen, whatever it is called; what only looks does nothing."""

import pytest

from palimp_daemon.text.command_kinds import kinds_of
from palimp_daemon.text.shell_commands import commands_in


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("git commit -m x", ["commit"]),
        ("git push --force", ["push"]),
        ("git stash push", []),
        ("git commit --help", []),
        ("git push --dry-run", []),
        ("just deploy prod", ["deploy"]),
        ("npm run deploy:prod", ["deploy"]),
        ("./scripts/deploy.sh", ["deploy"]),
        ("gh workflow run deploy-prod.yml", ["deploy"]),
        ("kubectl apply -f x.yaml", ["deploy"]),
        ("kubectl get pods", []),
        ("cat deploy.md", []),
        ("git checkout deploy-fix", []),
        ("npm publish", ["publish"]),
        ("npm install", ["install:js"]),
        ("yarn", ["install:js"]),
        ("npm install zod", ["install:js", "install"]),
        ("uv pip install x", ["install:python", "install"]),
        ("uv sync", ["install:python"]),
        ("bundle add x", ["install:ruby", "install"]),
        ("sudo apt-get install -y jq", ["install:system", "install"]),
        ("npm test", []),
        ("pip --version", []),
        ("uv run alembic upgrade head", ["migrate"]),
        ("bin/rails db:migrate", ["migrate"]),
        ("python manage.py makemigrations", ["migrate"]),
        ("make migrate", ["migrate"]),
        ("ls migrations", []),
        ("grep -r 'npm install' docs", []),
    ],
)
def test_a_command_is_of_the_kinds_that_it_does(line: str, kinds: list[str]):
    assert [kind for command in commands_in(line) for kind in kinds_of(command)] == kinds
