"""Which memories say what a prompt in Chinese, Japanese or Korean is about.

Where words are not separated, what says what a text is about is a pair of characters (`search.cjk`). A memory
bears on a prompt that shares two of them with it, which stand apart in the prompt and which few memories have: two that
overlap are one word.
"""

from collections.abc import Callable, Sequence
from typing import Final

from palimp_daemon.runtime.sql import value
from palimp_daemon.search.cjk import Piece
from palimp_daemon.search.engine import Expression
from palimp_daemon.search.terms import match_expression
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memories import Row

PIECES_MIN: Final = 2

PIECES_MAX: Final = 64
"""Pieces of one prompt that are counted, a few milliseconds; a prompt that shares more with memories is long."""

COUNTED_MAX: Final = 300
"""Memories that are counted for a piece; one that more have says little."""

OF_EVERYTHING: Final = frozenset(
    """
    函数 文件 代码 测试 修改 添加 删除 更新 按钮 页面 用户 数据 接口 问题 错误 功能 项目 方法 参数 变量 模块 组件
    类型 名字 名称 实现 检查 运行 帮我 需要 时间 时候 内容 字段 列表 窗口 服务 系统 配置 版本 分支 提交 解释 然后
    现在 失败 显示 打开 关闭 保存 改成 增加 関数 追加 削除 変更 修正 実装 確認 実行 画面 表示 機能 問題 名前 変数
    更新 作成 保存 設定 処理 必要 場合 理由 説明 一覧 項目 移動 コード ファイル テスト ボタン ページ ユーザー データ
    クラス エラー メソッド モジュール リスト メニュー サーバー システム アプリ バグ 함수 파일 코드 테스 수정 추가
    삭제 변경 버튼 페이 사용 데이 오류 에러 기능 클래 변수 모듈 화면 메뉴 서버 실행 확인 설명 이름 구현 생성 작성
    실패 고쳐 해줘 바꿔 바꾸 만들 보이 있는 없는 하는 어디 언제 무엇 이것 그것
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Pieces of what developers say of everything."""


def sharing_two(
    store: Store, pieces: Sequence[Piece], rows: Sequence[Row], is_telling: Callable[[int], bool]
) -> set[int]:
    """Return the numbers of those of *rows* that share PIECES_MIN of the *pieces* of a prompt, apart from one another.

    *is_telling* judges a piece by the number of memories that have it.
    """
    counts: dict[str, int] = {}
    found: set[int] = set()
    for row in rows:
        text = f"{row.title} {row.content} {row.tags}"
        apart, ends_at = 0, 0
        for piece in pieces:
            if piece.start < ends_at or piece.text in OF_EVERYTHING or piece.text not in text:
                continue
            if piece.text not in counts:
                if len(counts) >= PIECES_MAX:
                    break
                counts[piece.text] = _memories_with(store, piece.text)
            if is_telling(counts[piece.text]):
                apart, ends_at = apart + 1, piece.start + len(piece.text)
                if apart >= PIECES_MIN:
                    found.add(row.seq)
                    break
    return found


def _memories_with(store: Store, piece: str) -> int:
    own = store.engine.own(Expression(match_expression([" ".join(piece)])))
    counted = f"SELECT count(*) FROM (SELECT 1 FROM memories_fts f WHERE {own.sql} LIMIT {COUNTED_MAX})"
    return value(store.connection, counted, own.values)
